# The mark of a run on a switch, take OWNER SECONDS OVER or drop OVER. OVER is another run, which is over: its mark bars nothing. A run marks the switches whose loss together with those it changes would
# break what it promises, so that of two runs one goes first. The mark ends by the device's own clock, and with the device's boot. It lies
# in a folder of memory, M, and all may read it. Only one of these scripts is at work at a time: flock has called it.
M=/run/rocec
umask 022

marked() { # sets by to the run and key whose mark holds; empty: there is none; and ends to the uptime at which it does not any more
	by='' ends=0 boot=''
	if [ ! -f "$M/mark" ] || [ -h "$M/mark" ]; then return; fi
	while read -r what value; do
		case $what in
		txn) by=$value ;;
		key) by="$by $value" ;;
		boot) boot=$value ;;
		ends) ends=$value ;;
		esac
	done <"$M/mark"
	case $ends in '' | *[!0-9]* | ???????????*) ends=0 ;; esac
	read -r this </proc/sys/kernel/random/boot_id
	uptime
	if [ "$boot" != "$this" ] || [ "$ends" -le "$up" ]; then by=; fi
}

locked() { # refuses where another run has changed the device, or is about to. Those that are over leave to the next run what they left.
	owner
	over=${held%% *}
	case $over in *[!a-z0-9-]*) over='?' ;; esac
	if [ -n "$held" ] && [ "$held" != "$T $K" ]; then
		mark "$S/txn-$over"
		case $mark in
		confirmed | undone) ;;
		*)
			fail locked "mark $mark
$(left "$S/txn-$over")
$(head -c 1024 "$S/lock/owner" 2>/dev/null)"
			;;
		esac
	fi
	for x in "$S"/txn-*; do
		if [ "$x" = "$X" ] || [ -h "$x" ] || [ ! -d "$x" ]; then continue; fi
		mark "$x"
		case $mark in
		armed | loaded | undoing)
			fail locked "mark $mark
$(left "$x")
txn ${x#"$S/txn-"}"
			;;
		esac
	done
}

take() { # OWNER SECONDS OVER
	marked
	if [ -n "$by" ] && [ "${by%% *}" = "$3" ]; then by=; fi
	if [ -n "$by" ] && [ "$by" != "$T $K" ]; then
		fail marked "until $((ends - up))
$(head -c 1024 "$M/mark")"
	fi
	locked
	since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	if [ -n "$by" ]; then # it goes on since it began
		while read -r what value; do
			if [ "$what" = since ]; then since=$value; fi
		done <"$M/mark"
	fi
	if [ -h "$M/mark" ] || { [ -e "$M/mark" ] && [ ! -f "$M/mark" ]; }; then
		fail foreign "$M/mark is not a file of rocec: remove it on the device"
	fi
	read -r this </proc/sys/kernel/random/boot_id
	uptime
	printf 'txn %s\nkey %s\nboot %s\nends %s\nsince %s\nowner %s\n' "$T" "$K" "$this" "$((up + $2))" "$since" "$1" >"$M/mark.new" ||
		fail no-space "cannot write $M/mark.new"
	must "write $M/mark" mv -f "$M/mark.new" "$M/mark"
	printf 'state\ncount %s\nOK\n' "$(number "$S/counter")"
}

unmark() { # OVER
	marked
	if [ "$by" = "$T $K" ] || { [ -n "$by" ] && [ "${by%% *}" = "$1" ]; }; then must "remove $M/mark" rm -f "$M/mark"; fi
	echo OK
}

trusted "$M" || fail foreign "others than root may change $M: remove it on the device"
case $1 in
take) take "$2" "$3" "$4" ;;
drop) unmark "$2" ;;
esac
