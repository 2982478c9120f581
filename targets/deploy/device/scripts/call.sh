
# A verb of the run, VERB WHY WHO, and then the state it left. Where the run's folder is not there, there is only the lock.
# D is what the run does here, as a hash of what who calls knows of it. Nothing runs where it is not what the device was given.
status=0
alone "$X"
if [ -f "$X/run" ] && mine; then
	given=
	if [ -f "$X/digest" ]; then read -r given <"$X/digest"; fi
	if [ "$given" != "$D" ]; then
		if [ -n "$given" ]; then fail 'given other' "$T"; fi
		fail 'given none' "$T"
	fi
fi
if [ "$1" = state ]; then
	:
elif [ -f "$X/run" ] && mine; then
	flusher
	mark "$X"
	case $1$mark in confirmloaded | undoarmed | undoloaded | releaseprepared) credit "$T" "$1" "${3:-}" "${4:-}" ;; esac
	sh "$X/run" "$1" "$2" || status=$?
elif [ "$1" = release ]; then
	owner
	if [ "$held" = "$T $K" ]; then must "remove $S/lock" rm -rf "$X" "$X.new" "$S/lock"; fi # whoever has the lock has the name
else
	fail gone "the device holds nothing of run $T"
fi
if [ -f "$X/run" ] && mine; then
	state=$(sh "$X/run" state)
else
	owner
	state="lock $held
mark absent"
	if [ "$held" = "$T $K" ] && beginning; then state="$state
busy"; fi
	mark='' by=''
	if [ -f "$S/backup/$T/ended" ]; then read -r mark by rest <"$S/backup/$T/ended"; fi
	if [ -n "$mark" ]; then state="$state
ended $mark $by
$(tell notes "$S/backup/$T/notes")
$(refused "$S/backup/$T")"; fi
	state="$state
$(kept)"
	for left in "$X" "$X.new"; do
		if [ -e "$left" ] && mine; then state="$state
left $left"; fi
	done
fi
for v in confirm undo release unlock; do
	if [ -f "$S/backup/$T/who.$v" ]; then state="$state
$(tell "who $v" "$S/backup/$T/who.$v")"; fi
done
printf 'state\n%s\nOK\n' "$state" # in one write, which is one packet
exit "$status"
