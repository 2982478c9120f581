# record keeps what an undo needs: the number and message of the applied revision, and the configuration the switch starts with. Its copy is
# whole on the disk before anything says that there is one.
record() {
	if [ -f "$startup" ]; then
		cp -p "$startup" "$ROCEC_STEP/startup.new" && sync "$ROCEC_STEP/startup.new" && mv "$ROCEC_STEP/startup.new" "$ROCEC_STEP/startup" || return 1
	fi
	printf '%s\n' "$message" >"$ROCEC_STEP/said" && echo "$now" >"$ROCEC_STEP/prev" && sync "$ROCEC_STEP"/* "$ROCEC_STEP"
}

# go REVISION FROM [MESSAGE]: applies it for an hour, or for longer than the device itself waits for a person, in which whoever runs this
# confirms it or goes back; the message names the revision to go back to, behind the one it had where it was rocec's. A question is
# answered with no: NVUE asks, before it does anything, where files were edited by hand that it would overwrite, or where more than classes
# changes.
go() {
	echo "$1" >"$ROCEC_STEP/applying" && sync "$ROCEC_STEP/applying" "$ROCEC_STEP" || exit 1
	run=${ROCEC_STEP%/*}
	window=600 # the device goes back first, by the timer that rocec reports of, which begins anew once when all devices are changed
	for f in first later later; do
		if [ -f "$run/$f" ]; then read -r n <"$run/$f" && window=$((window + n)); fi
	done
	if [ "$window" -lt 3600 ]; then window=3600; fi
	run=rocec-${run##*/txn-}-after-$2
	case ${3:-} in rocec-*) if [ "${#3}" -lt 400 ]; then run=$3-$run; fi ;; esac
	out=$(nv config apply "$1" --assume-no --confirm "${window}s" -m "$run" 2>&1)
	status=$?
	case $out in *'[y/N]'*) rm -f "$ROCEC_STEP/applying" && fail "nv asks, and rocec answers no: $out" ;; esac
	[ "$status" = 0 ] || fail "nv config apply $1: $out"
	complains "nv config apply $1" "$out"
}
