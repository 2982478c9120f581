read -r rev <"$ROCEC_STEP/rev"
applied || fail "nv config revision does not say which revision is applied"
[ "$now" = "$rev" ] || fail "revision $now is applied, not $rev"
[ "$state" = confirm ] || fail "revision $rev is $state, and does not wait for its confirmation"
echo loaded
