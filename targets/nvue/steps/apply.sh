# Stages a patch and applies it, with a window after which NVUE itself goes back. Stdin: the SHA-256 of the tree that the plan saw, and the
# documents of the patch, what is unset before what is set.
read -r base
to=none
while IFS= read -r line; do
	case $line in '- unset:'*) to='unset' ;; '- set:'*) to='set' ;; esac
	printf '%s\n' "$line" >>"$ROCEC_STEP/$to.yaml" || exit 1
done
tree applied >"$ROCEC_STEP/tree" || fail "nv config show gives no applied configuration"
now=$(sha256sum <"$ROCEC_STEP/tree")
[ "${now%% *}" = "$base" ] || fail "the applied configuration is not the one of the plan: somebody has applied another since. Plan again."
applied || fail "nv config revision does not say which revision is applied"
[ "$state" != confirm ] || fail "revision $now waits for its confirmation: whoever applied it confirms it, or lets it go back"
record || exit 1
try nv config attach applied -y
rev=${out##*rev_id: }
rev=${rev%%]*}
case $rev in '' | *[!0-9]* | "$now") fail "nv config attach names no new revision: $out" ;; esac
echo made >"$ROCEC_STEP/made" && echo "$rev" >"$ROCEC_STEP/rev" && sync "$ROCEC_STEP"/* "$ROCEC_STEP" || exit 1
for doc in unset set; do
	if [ -f "$ROCEC_STEP/$doc.yaml" ]; then try nv config patch "$ROCEC_STEP/$doc.yaml"; fi
done
try nv config diff applied "$rev"
[ -n "$out" ] || fail "nv took the patch, and revision $rev is as the applied one: nothing would change"
was=$now # a revision is a whole tree: one of somebody else that was applied since it was begun would be gone
if ! applied || [ "$now" != "$was" ]; then
	fail "revision ${now:-of nobody knows whom} is applied, and $was was a moment ago: somebody else is at work. Plan again."
fi
go "$rev" "$now"
