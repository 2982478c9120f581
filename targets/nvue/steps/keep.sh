# Confirms the revision, and saves it: up to 5.8 nothing else does, and then a restart would lose it. It may run twice.
read -r rev <"$ROCEC_STEP/rev"
applied || fail "nv config revision does not say which revision is applied"
[ "$now" = "$rev" ] || fail "revision $now is applied, not $rev"
if [ "$state" = confirm ]; then
	try nv config apply "$rev" --confirm-yes
	for _ in 1 2 3 4 5; do # its state may come later than its word
		! applied || [ "$state" = confirm ] || break
		sleep 1
	done
	if ! applied || [ "$now" != "$rev" ] || [ "$state" = confirm ]; then
		fail "nv config apply $rev --confirm-yes: revision ${now:-of nobody knows whom} is ${state:-not told}, and would go back by itself"
	fi
fi
try nv config save
