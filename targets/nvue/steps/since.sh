# since finds the revision that was applied right before a run that was kept, by the message of the applied one: the last run that applied it
# stands last, and one that went back to it is followed by those before. was REVISION reports whether its tree is the one from before.
since() {
	applied || fail "nv config revision does not say which revision is applied"
	case $message in rocec-*-after-*) ;; *) fail "revision $now was not applied by rocec: see nv config history, and apply the revision you want" ;; esac
	[ "$state" != confirm ] || fail "revision $now waits for its confirmation"
	back='' rest=$message
	while [ -z "$back" ]; do
		case $rest in *-after-*) ;; *) break ;; esac
		n=${rest##*-after-}
		n=${n%%[!0-9]*}
		rest=${rest%-after-*}
		if [ -n "$n" ] && was "$n"; then back=$n; fi
	done
	[ -n "$back" ] || fail "revision $now was not applied right after what was there before the run: see nv config history, and apply the revision you want"
}
