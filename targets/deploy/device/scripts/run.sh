
# What a run does on a device, as root. It lies in the folder of the run, travels with it and goes with it. The verbs are
# called by the controller, and by the timer and the boot unit that undo a run nobody confirmed:
#
#   sh run prepare | commit | confirm | extend SECONDS | undo asked|timer|boot | release | state
#
# A verb that worked exits 0. One that did not prints "rocec-fail WORD" and then the reason on stderr. X, the folder, holds:
#
#   state.MARK    the mark; it moves by rename, so that of two who want to move it one wins
#   files         a line "N BASE TARGET MODE PATH" for each file; BASE and TARGET are a SHA-256 or "absent"
#   up.N          the content to come, also where it is the same and the file is to be root's alone;  check.N  the vendor's checker of it
#   live/         a live state each, as it was at prepare; lives: a line "N NAME"; live.N and live.N.in ask for one
#   step.N/       cmd, undo, undo.in, keep, loaded, time, again, states: a step; begun, status, in-use: how far it came
#   need          KiB of space;  units  systemd units that read the files at boot;  first, later  seconds until the undo
#   boot          the boot id of the commit;  deadline  seconds of uptime when the undo is due;  key  of the run
#   pid, working  the commit at work, and its step, each a line "PID START";  timer  a unit of systemd, or such a line
#   flush         how flush works on this device
#   about         what the run is, for a machine that did not start it: a line "KEY VALUE" each
#   note          which rocec this is, what the device is meant to do, and what it holds after the run: for later plans
#   digest        what the run does, as a hash: who goes on with it must know the same
#   by, why       who undid it, and why it had to be
#   back          the run goes back from one that was kept: it may write content that the checker refuses
#   refuses.N     why the vendor's checker refused the content from before, once that was in place again
#
# Beside each file .rocec-T-N.new is the upload, .old a hard link to the content before, .prev one to the content that the
# rename replaced, .undone one to the content that the undo replaced. So going forward and going back are one rename each, and
# going back needs no free space.

nl='
'

sum() { # FILE: its SHA-256, or a word that is none; fails where it cannot be read
	if [ -h "$1" ]; then
		echo link
	elif [ -f "$1" ]; then
		hash=$(sha256sum <"$1" 2>/dev/null) && echo "${hash%% *}"
	elif [ -e "$1" ]; then
		echo special
	else
		echo absent
	fi
}

dir() {
	d=${1%/*}
	echo "${d:-/}"
}

writes() { # whether the run writes file n: for other content, or because others than root may change the file that is there
	[ "$base" != "$target" ] || [ -f "$X/up.$n" ]
}

# guard refuses a folder in which others than root could put something else in place of a file, or of what is beside it. The sticky bit keeps
# them from that further up. A folder of rocec's own becomes root's alone.
guard() { # FOLDER
	if [ "$1" = "${guarded:-}" ]; then return 0; fi
	guarded=$1
	set -- "$1"
	while [ "$1" != / ]; do set -- "$(dir "$1")" "$@"; done
	for at; do
		if [ ! -e "$at" ]; then return 0; fi # the run makes it, and what is below
		rights=$(stat -L -c '%u:%a %g' "$at")
		case $at/ in
		/etc/rocec/*)
			if [ "$rights" = '0:755 0' ]; then continue; fi
			if [ ! -h "$at" ]; then
				must "set the owner of $at" chown 0:0 "$at"
				must "set the mode of $at" chmod go-w "$at"
				continue
			fi
			;;
		esac
		case ${rights% *} in
		0:[1357]??[2367]) [ "$at" = "$guarded" ] || continue ;;
		0:*[2367]) ;;
		0:*) continue ;;
		esac
		fail foreign "others than root may put files into $at: make it root's, and run chmod go-w $at on the device"
	done
}

# copy makes a file anew with the content and mode of another. It is root's, and no other may write to it.
copy() { # WHAT FROM TO
	must "$1" rm -f "$3"
	must "$1" cp "$2" "$3"
	tight "$(stat -c %a "$2")"
	must "$1" chmod "$mode" "$3"
	must "$1" flush "$3"
}

beside() { echo "${1%/*}/.rocec-$T-$n"; } # PATH of file n

same_boot() {
	boot='' this=''
	if [ -f "$X/boot" ]; then read -r boot <"$X/boot"; fi
	read -r this </proc/sys/kernel/random/boot_id
	[ "$boot" = "$this" ]
}

busy() { # whether a commit is at work
	pid='' since=''
	if [ -f "$X/pid" ] && same_boot; then read -r pid since <"$X/pid"; fi
	lives "$pid" "$since"
}

move() { # FROM TO
	must "mark the run $2" mv "$X/state.$1" "$X/state.$2"
	must "mark the run $2" flush "$X"
}

# ---- prepare ----

prepare() {
	(
		compare
		space
		upload
		backup
		states
		: >"$X/mutex" || fail failed "cannot write $X/mutex"
		must "write $X" flush "$X/mutex" "$X/live" "$X"
		: >"$X/state.prepared" || fail failed "cannot write $X/state.prepared"
		must "write $X" flush "$X/state.prepared" "$X" "$S"
	) && return
	status=$?
	tidy
	rm -rf "$S/backup/$T" "$X"
	drop
	return "$status"
}

compare() { # with what the plan saw; what dead runs left beside the files goes, for the lock is ours
	stale=
	while read -r n base target mode path; do
		now=$(sum "$path") || fail failed "cannot read $path"
		[ "$now" = "$base" ] || stale="$stale $path"
		d=$(dir "$path")
		for left in "$d"/.rocec-*.new "$d"/.rocec-*.old "$d"/.rocec-*.prev "$d"/.rocec-*.undone; do
			if [ -f "$left" ]; then must "remove $left" rm -f "$left"; fi
		done
	done <"$X/files"
	[ -z "$stale" ] || fail stale "${stale# }"
}

space() {
	read -r need <"$X/need"
	while read -r n base target mode path; do
		d=$(dir "$path")
		while [ ! -d "$d" ]; do d=$(dir "$d"); done
		for at in "$d" "$S"; do
			free=$(df -Pk "$at" 2>/dev/null)
			read -r what size used free rest <<END
${free##*"$nl"}
END
			case $free in
			'' | *[!0-9]*) ;;
			*) [ "$free" -ge "$need" ] || fail no-space "$at has $free KiB free, $need KiB are needed" ;;
			esac
		done
	done <"$X/files"
}

upload() { # beside each file, with its mode where there is one; each is root's, whoever has made the one that is there
	while read -r n base target mode path; do
		writes || continue
		d=$(dir "$path")
		guard "$d"
		if [ "$target" = absent ]; then continue; fi
		new=$(beside "$path").new
		[ -d "$d" ] || (umask 022 && must "create $d" mkdir -p "$d") || exit 1
		must "write $new" rm -f "$new" # a link would lead elsewhere
		must "write $new" cp "$X/up.$n" "$new"
		if [ -f "$path" ]; then
			was=$(stat -c %a "$path") || fail failed "cannot read the mode of $path"
			case $mode in # a script that somebody made a plain file becomes a script again
			*[1357]*) if [ -x "$path" ]; then mode=$was; fi ;;
			*) mode=$was ;;
			esac
		fi
		tight "$mode"
		must "set the owner of $new" chown 0:0 "$new"
		must "set the mode of $new" chmod "$mode" "$new"
		must "write $new" flush "$new"
		now=$(sum "$new") || fail failed "cannot read $new"
		[ "$now" = "$target" ] || fail truncated "$new did not arrive as it was sent (SHA-256 $now, not $target)"
		if [ ! -f "$X/back" ]; then judge "$new" || fail rejected "$said"; fi
	done <"$X/files"
}

judge() { # CONTENT: asks the vendor's checker of file n; where it refuses, said is its reason
	if [ ! -f "$X/check.$n" ]; then return 0; fi
	if said=$(timeout 60 sh "$X/check.$n" "$1" 2>&1 </dev/null); then return 0; else status=$?; fi
	if [ -z "$said" ]; then said="the checker ends with exit status $status and prints nothing"; fi
	return 1
}

# refusals has the vendor's checker judge content that was there before, once all files are in place: each is judged beside the others
# that the daemon reads with it. A refusal is kept and stops nothing, because the other content must not stay. WHICH is base in an undo,
# target in a run that goes back from one that was kept.
refusals() { # WHICH
	while read -r n base target mode path; do
		want=$base
		if [ "$1" = target ]; then want=$target; fi
		rm -f "$X/refuses.$n"
		if [ "$base" = "$target" ] || [ "$want" = absent ] || [ "$(sum "$path")" != "$want" ]; then continue; fi
		judge "$path" || printf '%s\n' "$said" >"$X/refuses.$n"
	done <"$X/files"
}

backup() { # the content before, three times: beside the file for the undo, a copy of this run, and the original
	if [ ! -s "$X/files" ] && [ ! -s "$X/lives" ]; then return; fi
	b=$S/backup/$T
	must "create $b" mkdir -p "$b" "$S/original"
	count=$(($(number "$S/counter") + 1))
	echo "$count" >"$b/counter" || fail failed "cannot write $b/counter"
	must "write $S/counter" cp "$b/counter" "$S/counter"
	: >"$X/backup" || fail failed "cannot write $X/backup"
	while read -r n base target mode path; do
		echo "$n $base $target $path" >>"$X/backup" || fail failed "cannot write $X/backup"
		if [ "$base" != "$target" ] && [ "$base" != absent ]; then
			old=$(beside "$path").old
			# A link would bring back the owner and mode, and the file that a hostile program may have open.
			if ! trusted "$path" || ! ln "$path" "$old" 2>/dev/null; then copy "back up $path" "$path" "$old"; fi
			must "back up $path" cp -p "$path" "$b/$n"
			must "back up $path" flush "$old" "$(dir "$path")" "$b/$n"
			now=$(sum "$b/$n") || fail failed "cannot read $b/$n"
			[ "$now" = "$base" ] || fail stale "$path"
		fi
		[ "$base" = "$target" ] || original
	done <"$X/files"
	must "write $b" cp "$X/about" "$X/lives" "$X/digest" "$b"
	must "write $b" mv -f "$X/backup" "$b/files"
	must "write $b" flush "$b/files" "$b/about" "$b/digest" "$b/lives" "$b" "$S/backup" "$S/counter" "$S/original" "$S"
}

original() { # what was there before rocec's first change: never pruned, and taken from the oldest backup where there is one
	if [ -e "$S/original/file$path" ] || [ -e "$S/original/none$path" ]; then return; fi
	from=$b/$n was=$base
	for older in "$S"/backup/*; do
		if [ -h "$older" ] || [ ! -f "$older/files" ]; then continue; fi
		while read -r i hash rest; do
			if [ "${rest#* }" = "$path" ] && { [ "$hash" = absent ] || [ -f "$older/$i" ]; }; then
				from=$older/$i was=$hash
				break 2
			fi
		done <"$older/files"
	done
	keep=$S/original/file$path
	[ "$was" != absent ] || keep=$S/original/none$path from=/dev/null
	d=$(dir "$keep")
	while [ "$d" != "$S/original" ]; do
		[ ! -h "$d" ] || fail foreign "$d is not a folder of rocec: remove it on the device"
		d=$(dir "$d")
	done
	must "keep the original of $path" mkdir -p "$(dir "$keep")"
	must "keep the original of $path" cp "$from" "$X/original"
	must "keep the original of $path" flush "$X/original"
	must "keep the original of $path" mv "$X/original" "$keep"
	must "keep the original of $path" flush "$(dir "$keep")"
}

states() { # live states that steps change, for the undo
	while read -r n name; do
		case $name in */*) must "write $X/live" mkdir -p "$X/live/${name%/*}" ;; esac
		timeout 60 sh "$X/live.$n" <"$X/live.$n.in" >"$X/live/$name" 2>"$X/said" || fail failed "$name cannot be read: $(cat "$X/said")"
		must "back up $name" cp "$X/live/$name" "$S/backup/$T/live.$n"
		must "write $X/live" flush "$X/live/$name" "$(dir "$X/live/$name")" "$S/backup/$T/live.$n" "$S/backup/$T"
	done <"$X/lives"
}

tidy() { # what lies beside the files
	if [ ! -f "$X/files" ]; then return; fi
	while read -r n base target mode path; do
		tmp=$(beside "$path")
		must "remove $tmp.*" rm -f "$tmp.new" "$tmp.old" "$tmp.prev" "$tmp.undone"
	done <"$X/files"
}

# ---- commit ----

# commit starts the body and waits for it. The body is on its own: a session that breaks, over a link that bounces by the very
# change, does not stop it half way. It is started once; who asks again waits for the same one.
commit() {
	mark "$X"
	if [ "$mark" = prepared ] && mkdir "$X/once" 2>/dev/null; then
		setsid sh "$X/run" body </dev/null >"$X/said" 2>&1 &
		wait $!
	elif [ "$mark" = prepared ] && [ ! -e "$X/pid" ]; then
		sleep 2 # it may be about to begin
	fi
	mark "$X"
	while { [ "$mark" = prepared ] || [ "$mark" = armed ]; } && busy; do
		sleep 1
		mark "$X"
	done
	if [ "$mark" = loaded ]; then return; fi
	cat "$X/said" >&2
	exit 1
}

body() {
	ours
	started "$$"
	echo "$$ $start" >"$X/pid" || fail no-space "cannot write $X/pid"
	read -r this </proc/sys/kernel/random/boot_id
	{ echo "$this" >"$X/boot" && chmod 644 "$X/boot"; } || fail no-space "cannot write $X/boot"
	(
		arm_boot
		arm 1 "$(number "$X/first")"
		again
		pending
		must "write $X" flush "$X/pid" "$X/boot" "$X"
		move prepared armed
	) || {
		(disarm)
		rm -f "$X/pid"
		exit 1
	}
	# What is said is kept in a variable: a full disk must not hide it, nor keep the undo from running.
	if said=$( (replace && { [ ! -f "$X/back" ] || refusals target; } && steps) 2>&1); then
		arm 2 "$(number "$X/later")"
		move armed loaded
		rm -f "$X/pid"
		exit 0
	fi
	printf '%s\n' "$said" >&2
	printf '%s\n' "$said" >"$X/why"
	sh "$X/run" undo body
	rm -f "$X/pid"
	exit 1
}

boot_unit=/etc/systemd/system/rocec-undo-$T.service
boot_link=/etc/systemd/system/sysinit.target.wants/rocec-undo-$T.service

arm_boot() { # for a device that goes down before anybody confirmed: before anything reads the files again
	[ -d "${boot_link%/*}" ] || must "write $boot_unit" mkdir -p "${boot_link%/*}"
	read -r units <"$X/units"
	cat >"$boot_unit" <<END || fail no-space "cannot write $boot_unit"
[Unit]
Description=Undo of rocec run $T, which nobody confirmed; this file goes when somebody does, or with the undo
DefaultDependencies=no
RequiresMountsFor=$S /etc
After=local-fs.target
Before=sysinit.target $units

[Service]
Type=oneshot
ExecStart=/bin/sh $X/run undo boot
END
	must "write $boot_unit" chmod 644 "$boot_unit"
	must "write $boot_link" ln -sf "$boot_unit" "$boot_link"
	must "write $boot_unit" flush "$boot_unit" "${boot_unit%/*}" "${boot_link%/*}"
}

arm() { # NTH SECONDS: the timer of this boot, and away with the one before
	unit=rocec-undo-$T-$1
	uptime
	{ echo "$((up + $2))" >"$X/deadline" && chmod 644 "$X/deadline"; } || fail no-space "cannot write $X/deadline"
	before='' since=''
	if [ -f "$X/timer" ]; then read -r before since <"$X/timer"; fi
	if ! systemd-run --quiet --unit="$unit" --on-active="$2" --timer-property=AccuracySec=100ms \
		sh "$X/run" undo timer >/dev/null 2>&1; then # none, or one before 218, without --on-active
		setsid sh -c 'sleep "$1"; exec sh "$2" undo timer' rocec "$2" "$X/run" </dev/null >/dev/null 2>&1 &
		started "$!"
		unit="$! $start"
	fi
	echo "$unit" >"$X/timer" || fail no-space "cannot write $X/timer"
	stop_timer "$before" "$since"
}

stop_timer() { # UNIT, or PID START of a process
	case $1 in
	'') ;;
	*[!0-9]*)
		systemctl stop "$1.timer" >/dev/null 2>&1
		systemctl reset-failed "$1.service" >/dev/null 2>&1 # an undo that failed
		;;
	*) if same_boot && lives "$1" "$2"; then kill -- "-$1" 2>/dev/null; fi ;;
	esac
	return 0
}

extend() { # SECONDS: another timer, in place of the one that runs
	ours
	mark "$X"
	[ "$mark" = loaded ] || fail armed "run $T is $mark, so its deadline stays"
	before='' since=''
	if [ -f "$X/timer" ]; then read -r before since <"$X/timer"; fi
	nth=${before##*-}
	case $nth in '' | *[!0-9]*) nth=2 ;; esac
	arm "$((nth % 1000 + 1))" "$1"
}

disarm() {
	if [ -e "$boot_unit" ] || [ -h "$boot_link" ]; then
		must "remove $boot_unit" rm -f "$boot_unit" "$boot_link"
		must "remove $boot_unit" flush "${boot_unit%/*}" "${boot_link%/*}"
	fi
	if [ "${1:-}" != timer ] && [ -f "$X/timer" ]; then # which ends by itself, and is not stopped from within
		read -r before since <"$X/timer"
		stop_timer "$before" "$since"
		must "remove $X/timer" rm -f "$X/timer" "$X/deadline"
	elif [ -f "$X/deadline" ]; then
		must "remove $X/deadline" rm -f "$X/deadline"
	fi
}

again() { # everything once more, before the first rename
	while read -r n base target mode path; do
		now=$(sum "$path") || fail failed "cannot read $path"
		[ "$now" = "$base" ] || fail stale "$path"
		if [ "$target" != absent ] && writes; then
			now=$(sum "$(beside "$path").new") || fail failed "cannot read the upload beside $path"
			[ "$now" = "$target" ] || fail truncated "the upload beside $path is not what was sent"
		fi
	done <"$X/files"
}

pending() { # notes which files may lie there new without being in use; X/pending is the note from before
	: >"$X/pending" || fail no-space "cannot write $X/pending"
	if [ -f "$S/pending" ]; then must "write $X/pending" cp "$S/pending" "$X/pending"; fi
	{ cat "$X/pending" && while read -r n base target mode path; do echo "$path"; done <"$X/files"; } \
		>"$X/pending.new" || fail no-space "cannot write $X/pending.new"
	must "write $S/pending" flush "$X/pending.new"
	must "write $S/pending" mv -f "$X/pending.new" "$S/pending"
	must "write $S/pending" flush "$S"
}

replace() { # and look at what was replaced: an edit of somebody else between the last look and the rename
	while read -r n base target mode path; do
		writes || continue
		tmp=$(beside "$path")
		if [ "$base" = absent ]; then
			must "create $path" ln -T "$tmp.new" "$path" # fails where somebody else has made one
		else
			ln -T "$path" "$tmp.prev" 2>/dev/null || must "replace $path" cp -p "$path" "$tmp.prev"
			if [ "$target" = absent ]; then
				must "remove $path" rm -f "$path"
			else
				must "replace $path" mv -f "$tmp.new" "$path"
			fi
			slipped=$(sum "$tmp.prev") || fail failed "cannot read $tmp.prev"
			[ "$slipped" = "$base" ] || fail conflict "$path" # the undo puts it back
			# Who has the file open goes on writing. The undo would take that for an edit that the rename has lost.
			trusted "$tmp.prev" || must "replace $path" rm -f "$tmp.prev"
		fi
		must "write $path" flush "$(dir "$path")"
	done <"$X/files"
}

steps() {
	for step in "$X"/step.*; do
		[ -d "$step" ] || break
		run "$step/cmd"
		settle
	done
}

places() { # puts the folders that commands of a step read into the environment
	ROCEC_STEP=$step ROCEC_LIVE=$X/live
	export ROCEC_STEP ROCEC_LIVE
}

run() { # FILE: the command of a step; its folder and the saved live states are in the environment
	[ -s "$1" ] || return 0
	places
	time=$(number "$step/time")
	: >"$step/begun" || fail "no-space" "cannot write $step/begun"
	flush "$step/begun" "$step"
	input=/dev/null
	if [ -f "$1.in" ]; then input=$1.in; fi
	out=$( # timeout makes a process group of its own, which an undo has to know
		timeout "$time" sh "$1" 2>&1 <"$input" &
		started "$!"
		echo "$! $start" >"$X/working"
		wait $!
	)
	status=$?
	rm -f "$X/working"
	echo "$status" >"$step/status"
	case $status in
	0) ;;
	124) fail "activation ${step##*.}" "it did not end within $time seconds. $(ending "$out")" ;;
	*) fail "activation ${step##*.}" "exit status $status. $(ending "$out")" ;;
	esac
}

ending() { # TEXT: its end, which says why, where the report has no room for all of it
	if [ "${#1}" -gt 350 ]; then
		printf '… %s' "$(printf %s "$1" | tail -c 350)"
	else
		printf %s "$1"
	fi
}

settle() { # waits until the device uses the content
	[ -s "$step/loaded" ] || return 0
	uptime
	end=$((up + $(number "$step/time")))
	until out=$(timeout 60 sh "$step/loaded" 2>&1 </dev/null); do
		if [ $? = 65 ]; then end=0; fi # it was refused, and waiting does not help
		uptime
		[ "$up" -lt "$end" ] || fail "unsettled ${step##*.}" "$out"
		sleep 1
	done
	printf '%s\n' "$out" >"$step/in-use"
}
