
# The second half of what a run does on a device (run.sh): confirm, undo, release and state, and the choice of the verb.

confirm() {
	mark "$X"
	if [ "$mark" = loaded ]; then
		for step in "$X"/step.*; do
			if [ -s "$step/keep" ]; then # no undo begins meanwhile; one that comes after it goes back all the same
				flock -o -w 60 "$X/mutex" sh "$X/run" keep || exit 1
				break
			fi
		done
		# The one rename that decides between this and the undo.
		err=$(mv "$X/state.loaded" "$X/state.confirmed" 2>&1) || {
			mark "$X"
			[ "$mark" != loaded ] || fail "$(cause "$err")" "cannot mark the run confirmed: $err"
		}
		mark "$X"
	fi
	[ "$mark" = confirmed ] || fail unconfirmed "the run is $mark"
	must "mark the run confirmed for good" flush "$X" # else the device wakes up with the mark from before, and undoes
	disarm
}

keep() { # what goes back by itself where nobody says that it stays
	mark "$X"
	[ "$mark" = loaded ] || fail unconfirmed "the run is $mark"
	for step in "$X"/step.*; do
		if [ -s "$step/keep" ]; then run "$step/keep"; fi
	done
}

undo() { # WHY: asked, timer, boot, or body: by the commit itself
	mark "$X"
	case $mark in
	armed | loaded)
		mv "$X/state.$mark" "$X/state.undoing" 2>/dev/null || {
			mark "$X"
			case $mark in armed | loaded) fail read-only "cannot mark the run undoing" ;; esac
		}
		flush "$X"
		;;
	esac
	mark "$X"
	if [ "$mark" != undoing ]; then # confirmed, or over
		case $1$mark in bootconfirmed | bootundone | bootconflict | bootfailed | bootprepared) disarm "$1" ;; esac
		return 0
	fi
	if [ ! -f "$X/by" ]; then
		say "run $T: undo by $1"
		echo "$1" >"$X/by"
	fi
	if [ "$1" != body ]; then interrupt; fi
	ROCEC_WHY=$1
	export ROCEC_WHY
	back
	refusals base
	end=undone
	said=$( (unsteps "$1") 2>&1) || end=failed
	if [ -n "$foreign" ]; then
		end=conflict
		said="rocec-fail conflict$nl${foreign# }"
	fi
	if [ -n "$stuck" ]; then
		end=failed
		said="$stuck$nl$said"
	fi
	if [ "$end" != undone ]; then
		printf '%s\n' "$said" >"$X/unwhy"
		printf '%s\n' "$said" >&2
	fi
	move undoing "$end"
	# Only now: a boot unit that finds the run over goes, and one that finds it undoing goes on.
	(disarm "$1") # what it cannot take away, the release tries again
	[ "$end" = undone ]
}

interrupt() { # ends a commit that is at work, and a step, which has a process group of its own
	groups=
	for what in pid working; do
		pid='' since=''
		if [ -f "$X/$what" ] && same_boot; then read -r pid since <"$X/$what"; fi
		if lives "$pid" "$since"; then groups="$groups $pid"; fi
	done
	if [ -z "$groups" ]; then return; fi
	for signal in TERM KILL; do
		for pid in $groups; do kill -s "$signal" -- "-$pid" 2>/dev/null; done # dash knows no other form of it for groups
		if [ "$signal" = TERM ]; then sleep 1; fi
	done
	rm -f "$X/pid" "$X/working"
}

# back puts every file back, and sets foreign to those that somebody else has changed, stuck to why others could not be put
# back, and restored. A file that cannot be put back stops none of the others; what stood in its way may be gone a second later.
back() {
	for try in first last; do
		foreign='' stuck='' restored=''
		while read -r n base target mode path; do
			err=$(put_back 2>&1)
			case $? in
			0) if [ "$base" != "$target" ]; then restored=yes; fi ;;
			3) foreign="$foreign $path" ;;
			*)
				err=${err:-"rocec-fail failed${nl}cannot put back $path"}
				if [ -n "$stuck" ]; then stuck="$stuck; ${err#*"$nl"}"; else stuck=$err; fi
				;;
			esac
		done <"$X/files"
		if [ -z "$stuck" ] || [ "$try" = last ]; then return; fi
		sleep 1
	done
}

theirs_back() { # puts what somebody else wrote back in place, as a file of root
	if ! trusted "$tmp.prev"; then
		copy "restore $path" "$tmp.prev" "$tmp.new"
		must "restore $path" mv -f "$tmp.new" "$tmp.prev"
	fi
	mv -f "$tmp.prev" "$path"
}

put_back() { # ours is undone; 3: what is neither old nor new is left to a person
	tmp=$(beside "$path")
	rm -f "$tmp.new" 2>/dev/null # what hangs in a commit somewhere cannot go on
	now=$(sum "$path") || fail failed "cannot read $path"
	slipped=$base theirs=0
	if [ -f "$tmp.prev" ]; then slipped=$(sum "$tmp.prev"); fi
	if [ "$now" = "$base" ] && { [ "$base" != "$target" ] || [ "$slipped" = "$base" ]; }; then
		: # a file that was only made root's stays so
	elif [ "$now" = "$target" ] && [ "$slipped" != "$base" ]; then
		err=$(theirs_back 2>&1) || {
			err=${err#rocec-fail*"$nl"}
			must "keep what somebody else wrote into $path" cp -p "$tmp.prev" "$S/backup/$T/$n.edited"
			fail "$(cause "$err")" "cannot put back $path: $err; what somebody else wrote is in $S/backup/$T/$n.edited"
		}
		theirs=3
	elif [ "$now" != "$target" ]; then
		theirs=3
	elif [ "$base" = absent ]; then
		must "remove $path" mv -f "$path" "$tmp.undone"
	else
		if [ "$(sum "$tmp.old")" != "$base" ]; then
			copy "restore $path" "$S/backup/$T/$n" "$tmp.old"
		fi
		if [ "$target" = absent ]; then
			must "restore $path" ln -T "$tmp.old" "$path" # fails where somebody else has made one, which the next look finds
		else
			rm -f "$tmp.undone"
			ln -T "$path" "$tmp.undone" 2>/dev/null || must "restore $path" cp -p "$path" "$tmp.undone"
			must "restore $path" mv -f "$tmp.old" "$path"
		fi
	fi
	if [ -f "$tmp.undone" ] && [ "$theirs" = 0 ] && [ "$(sum "$tmp.undone")" != "$target" ]; then # written since the last look
		must "keep what somebody else wrote into $path" mv -f "$tmp.undone" "$path"
		theirs=3
	fi
	d=$(dir "$path")
	if [ -d "$d" ]; then must "restore $path" flush "$d"; fi
	return "$theirs"
}

# unsteps puts the content from before to use where the new one may have been: by the step's own undo, or by the step
# again. At boot nothing has read the files yet, somebody else's edit is not put to use, and where no file is back there is nothing to.
# A step that cannot go back stops none of the others.
unsteps() {
	failed=
	for step in "$X"/step.*; do
		if [ ! -f "$step/begun" ]; then continue; fi
		(unstep "$1") || failed=yes
	done
	[ -z "$failed" ]
}

unstep() { # WHY
	rm -f "$step/in-use" # which is about the new content
	if [ -s "$step/undo" ]; then
		run "$step/undo"
		if [ -n "$out" ]; then printf '%s\n' "$out" >>"$X/notes"; fi # what it could not put back, in words
		if [ "$1" != boot ]; then as_before; fi
	elif [ "$1" != boot ] && [ -z "$foreign" ] && [ -f "$step/again" ] && [ -n "$restored" ]; then
		run "$step/cmd"
		settle
	fi
}

# as_before notes that the content from before is in use where the live states of the step are as they were at prepare.
as_before() {
	if [ ! -s "$step/states" ]; then return 0; fi
	while read -r i name; do
		timeout 60 sh "$X/live.$i" <"$X/live.$i.in" >"$step/now" 2>/dev/null || return 0
		[ "$(sum "$step/now")" = "$(sum "$X/live/$name")" ] || return 0
	done <"$step/states"
	echo loaded >"$step/in-use"
}

# look asks after an undo at boot whether the content from before is in use: at boot itself nothing has read it yet.
look() {
	if [ "$mark$by" != undoneboot ]; then return 0; fi
	ROCEC_WHY=boot
	export ROCEC_WHY
	for step in "$X"/step.*; do
		if [ ! -f "$step/begun" ] || [ -f "$step/in-use" ]; then continue; fi
		places
		if [ -s "$step/undo" ]; then
			as_before
		elif [ -s "$step/loaded" ] && [ -f "$step/again" ] && out=$(timeout 60 sh "$step/loaded" 2>&1 </dev/null); then
			printf '%s\n' "$out" >"$step/in-use"
		fi
	done
}

release() {
	mark "$X"
	case $mark in
	armed | loaded | undoing) fail armed "run $T is $mark: confirm or undo it first" ;;
	prepared) must "mark the run released" mv "$X/state.prepared" "$X/released" ;; # a commit cannot begin any more
	esac
	ended
	disarm
	tidy
	began=
	for step in "$X"/step.*; do
		if [ -f "$step/begun" ]; then began=yes; fi
	done
	case $mark$began in
	confirmed* | undoneyes) must "remove $S/pending" rm -f "$S/pending" ;;
	undone | prepared)
		if [ -s "$X/pending" ]; then
			must "write $S/pending" mv "$X/pending" "$S/pending"
		elif [ -f "$X/pending" ]; then
			must "remove $S/pending" rm -f "$S/pending"
		fi
		;;
	esac
	prune
	must "remove $X" rm -rf "$X"
	owner
	if [ "$held" = "$T $K" ]; then must "remove $S/lock" rm -rf "$S/lock"; fi
	must "write $S" flush "$S"
}

# ended keeps what became of the run and by whom, beside its backup. Whoever asks when the run's folder is gone cannot tell it from
# the files: a later run may have written the same. A full disk must not keep the lock, so it may fail.
ended() {
	if [ "$mark" = absent ] || [ ! -d "$S/backup/$T" ]; then return; fi # absent: a release that was cut off has written it
	by=
	if [ -f "$X/by" ]; then read -r by <"$X/by"; fi
	{
		if [ -f "$X/notes" ]; then cp "$X/notes" "$S/backup/$T/notes"; fi
		for text in "$X"/refuses.*; do
			if [ -f "$text" ]; then cp "$text" "$S/backup/$T/${text##*/}"; fi
		done
		{ echo "$mark $by" && { [ ! -f "$X/note" ] || cat "$X/note"; }; } >"$S/backup/$T/ended" && flush "$S/backup/$T/ended" "$S/backup/$T"
	} 2>/dev/null || :
}

prune() { # the last ten runs stay, and what the last thousand did, as a hash; what does not look like a backup of ours is not touched
	least=$(($(number "$S/counter") - 10))
	for b in "$S"/backup/*; do
		case ${b##*/} in *[!a-z0-9-]*) continue ;; esac
		if [ -h "$b" ] || [ ! -f "$b/files" ] || [ -h "$b/files" ] || [ "$b" = "$S/backup/$T" ]; then continue; fi
		if [ "$(number "$b/counter")" -gt "$least" ]; then continue; fi
		if [ -s "$b/digest" ]; then
			{ tail -n 999 "$S/digests" 2>/dev/null || :; } >"$X/digests" || fail no-space "cannot write $X/digests"
			{ printf '%s ' "${b##*/}" && cat "$b/digest"; } >>"$X/digests" || fail no-space "cannot write $X/digests"
			must "write $S/digests" flush "$X/digests"
			must "write $S/digests" mv -f "$X/digests" "$S/digests"
			must "write $S/digests" flush "$S"
		fi
		must "remove $b" rm -rf "$b"
	done
}

state() {
	owner
	printf 'lock %s\n' "$held"
	mark "$X"
	printf 'mark %s\n' "$mark"
	if [ "$mark" = absent ]; then printf 'left %s\n' "$X"; fi # it could not be filled, nor taken away
	if busy || { [ "$held" = "$T $K" ] && beginning; }; then echo busy; fi
	if [ -f "$X/boot" ] && ! same_boot; then echo rebooted; fi
	by=
	if [ -f "$X/by" ]; then read -r by <"$X/by"; fi
	case $by in asked | timer | boot | body) printf 'by %s\n' "$by" ;; esac
	look
	left "$X"
	for step in "$X"/step.*; do
		case ${step##*.} in *[!0-9]*) continue ;; esac
		if [ -f "$step/in-use" ]; then
			use=
			while read -r line || [ -n "$line" ]; do use=$line; done <"$step/in-use"
			printf 'use %s %s\n' "${step##*.}" "$use"
		fi
		if [ -f "$step/begun" ]; then printf 'begun %s\n' "${step##*.}"; fi
	done
	if [ -f "$X/files" ]; then
		while read -r n base target mode path; do
			printf 'file %s %s\n' "$n" "$(sum "$path" || echo unreadable)"
			for left in new old prev undone; do
				if [ -e "$(beside "$path").$left" ]; then printf 'left %s\n' "$(beside "$path").$left"; fi
			done
		done <"$X/files"
	fi
	if [ -e "$boot_unit" ]; then printf 'left %s\n' "$boot_unit"; fi
	for f in why unwhy notes; do tell "$f" "$X/$f"; done
	refused "$X"
	kept
}

case $1 in
prepare | commit | state | body | keep) "$1" ;;
confirm | release) # a lock tells another run, which finds the mark of this one, that it has not ended
	if [ "${2:-}" = locked ]; then
		"$1"
	else
		exec flock -o -w 60 "$X/run" sh "$X/run" "$1" locked
	fi
	;;
extend) # no undo begins between the look and the new timer
	if [ "$2" = locked ]; then
		extend "$3"
	else
		exec flock -o -w 60 "$X/mutex" sh "$X/run" extend locked "$2"
	fi
	;;
undo)
	if [ "${2:-asked}" = locked ]; then
		undo "$3"
	else
		exec flock -o -w 600 "$X/mutex" sh "$X/run" undo locked "${2:-asked}"
	fi
	;;
*) fail failed "no verb $1" ;;
esac
