
# What a device keeps about runs that are over or under way, a line "RUN KEY VALUE" each. It looks, and changes nothing.
printf '%s query\n' "$B"
for b in "$S"/backup/* "$S"/txn-*; do
	run=${b##*/}
	run=${run#txn-}
	if [ -h "$b" ] || ! plain "$b/about" || ! trusted "$b" "$b/about"; then continue; fi
	while read -r key value; do
		case $key in device | fabric | owner | message | head) printf '%s %s %s\n' "$run" "$key" "$value" ;; esac
	done <"$b/about"
	for verb in confirm undo release unlock; do
		if ! plain "$b/who.$verb" || ! trusted "$b/who.$verb"; then continue; fi
		while read -r line; do printf '%s who %s %s\n' "$run" "$verb" "$line"; done <"$b/who.$verb"
	done
done 2>/dev/null | head -c 1048576
printf '\n%s end 0\n' "$B"
