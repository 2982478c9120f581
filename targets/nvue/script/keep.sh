# Confirms the revision, and saves it: up to 5.8 nothing else does, and then a restart would lose it. It may run twice.
read -r rev <"$ROCEC_STEP/rev"
applied || fail "nv config revision does not say which revision is applied"
[ "$now" = "$rev" ] || fail "revision $now is applied, not $rev"
if [ "$state" = confirm ]; then try nv config apply "$rev" --confirm-yes; fi
try nv config save
