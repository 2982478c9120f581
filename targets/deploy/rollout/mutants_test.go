package rollout_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
)

// mutant is a script without one of its comparisons, undos, marks or locks, and the scenario that must fail with this script.
type mutant struct {
	script   string
	old, new string
	caught   string
}

var mutants = []mutant{
	// Marks of runs.
	{script: "mark.sh", old: `[ "$boot" != "$this" ] || [ "$ends" -le "$up" ]`, new: `[ "$ends" -le "$up" ]`, caught: "marks"},
	{script: "mark.sh", old: `[ "$boot" != "$this" ] || [ "$ends" -le "$up" ]`, new: `[ "$boot" != "$this" ]`, caught: "marks"},
	{script: "mark.sh", old: `if [ -n "$by" ] && [ "$by" != "$T $K" ]; then
		fail`, new: `if false; then
		fail`, caught: "marks"},
	{script: "mark.sh", old: `	locked
	since=`, new: `	since=`, caught: "marks"},
	{script: "mark.sh", old: `		confirmed | undone) ;;`, new: `		confirmed | undone | prepared) ;;`, caught: "marks"},
	{script: "mark.sh", old: `		confirmed | undone) ;;`, new: `		confirmed) ;;`, caught: "marks"},
	{script: "mark.sh", old: `		armed | loaded | undoing)`, new: `		armed | undoing)`, caught: "marks"},
	{
		script: "mark.sh", old: `if [ "$by" = "$T $K" ] || { [ -n "$by" ] && [ "${by%% *}" = "$1" ]; }; then must`, new: `if true; then must`,
		caught: "marks",
	},

	// Owners and modes.
	{script: "trust.sh", old: `0:*[2367] | 0:*[2367]?) return`, new: `0:*[2367]) return`, caught: "rights of runs"},
	{script: "trust.sh", old: `0:*[2367] | 0:*[2367]?) return`, new: `0:*[2367]?) return`, caught: "rights of runs"},
	{script: "trust.sh", old: `		*) return 1 ;;`, new: `		*) ;;`, caught: "rights of runs"},
	{script: "lib.sh", old: `err=$(chmod go-w "$1" 2>&1) ||`, new: `true ||`, caught: "rights of state"},
	{script: "lib.sh", old: `	trusted "$1" "$1"/* "$1"/*/* ||`, new: `	true ||`, caught: "rights of runs"},
	{script: "lib.sh", old: `	trusted "$1" "$1"/* "$1"/*/* ||`, new: `	trusted "$1" ||`, caught: "rights of runs"},
	{script: "lib.sh", old: `	trusted "$1" "$1"/* "$1"/*/* ||`, new: `	trusted "$1" "$1"/* ||`, caught: "rights of runs"},
	{script: "begin.sh", old: `	"$S"/txn-*) alone "$1" ;;`, new: `	"$S"/txn-*) ;;`, caught: "rights of runs"},
	{script: "begin.sh", old: `			alone "$S/txn-$over"`, new: `			:`, caught: "rights of runs"},
	{script: "begin.sh", old: `	(alone "$x") || {`, new: `	true || {`, caught: "rights of runs"},
	{script: "begin.sh", old: `			if [ ! -h "$p" ]; then shut "$p"; fi`, new: `			:`, caught: "rights of state"},
	{script: "call.sh", old: `alone "$X"`, new: `:`, caught: "rights of runs"},
	{script: "sweep.sh", old: `alone "$X"`, new: `:`, caught: "rights of runs"},
	{script: "unlock.sh", old: `	alone "$S/txn-$over"`, new: `	:`, caught: "rights of runs"},
	{script: "held.sh", old: `	alone "$x" "$x"/* || return 0`, new: `	:`, caught: "rights of runs"},
	{script: "mark.sh", old: `trusted "$M" || fail`, new: `true || fail`, caught: "rights of marks"},
	{script: "read.sh", old: `if [ "$is" = file ]; then rights=`, new: `if false; then rights=`, caught: "rights of files"},
	{script: "read.sh", old: `rights -L -c '%u:%g:%a %n' "$@"`, new: `:`, caught: "rights of folders"},
	{script: "read.sh", old: `rights -c '%u:%g:%a %n' "$S" "$S"/* "$S"/*/*`, new: `rights -c '%u:%g:%a %n' "$S"`, caught: "rights of state"},
	{script: "run.sh", old: ` || [ -f "$X/up.$n" ]`, new: ``, caught: "rights of files"},
	{script: "run.sh", old: `		guard "$d"`, new: `		:`, caught: "rights of folders"},
	{script: "run.sh", old: `must "set the owner of $at" chown 0:0 "$at"`, new: `:`, caught: "rights of folders"},
	{script: "run.sh", old: `must "set the mode of $at" chmod go-w "$at"`, new: `:`, caught: "rights of folders"},
	{script: "run.sh", old: `[ "$at" = "$guarded" ] || continue ;;`, new: `continue ;;`, caught: "rights of folders"},
	{script: "run.sh", old: `		0:*[2367]) ;;
		0:*) continue`, new: `		0:*) continue`, caught: "rights of folders"},
	{script: "run.sh", old: `must "write $new" rm -f "$new"`, new: `:`, caught: "rights of folders"},
	{script: "run.sh", old: `		tight "$mode"`, new: `		:`, caught: "rights of files"},
	{script: "run.sh", old: `if ! trusted "$path" || ! ln`, new: `if ! ln`, caught: "rights undone"},
	{script: "run.sh", old: `trusted "$tmp.prev" || must "replace $path" rm`, new: `: rm`, caught: "rights of an open file"},
	{script: "run.sh", old: `	tight "$(stat -c %a "$2")"`, new: `	mode=$(stat -c %a "$2")`, caught: "rights undone"},
	{script: "undo.sh", old: `{ [ "$base" != "$target" ] || [ "$slipped" = "$base" ]; }`, new: `true`, caught: "rights edited"},
	{script: "undo.sh", old: `if ! trusted "$tmp.prev"; then`, new: `if false; then`, caught: "rights edited"},
	{
		script: "undo.sh", old: `copy "restore $path" "$S/backup/$T/$n" "$tmp.old"`,
		new: `must "restore $path" cp -p "$S/backup/$T/$n" "$tmp.old"`, caught: "rights undone",
	},

	// Folders and the lock.
	{script: "begin.sh", old: `if [ -h "$1" ] || { [ -e "$1" ] && [ ! -d`, new: `if { [ -e "$1" ] && [ ! -d`, caught: "planted links"},
	{script: "lib.sh", old: `[ "$(stat -c %u "$1" 2>/dev/null)" = 0 ] ||`, new: `true ||`, caught: "folder of somebody"},
	{script: "begin.sh", old: `must "protect $S" chmod 755 "$S" # `, new: `: # `, caught: "open folder"},
	{script: "begin.sh", old: `chmod 711 "$X.new"`, new: `chmod 755 "$X.new"`, caught: "applied"},
	{script: "begin.sh", old: `if err=$(mkdir "$S/lock" 2>&1); then`, new: `if err=$(mkdir -p "$S/lock" 2>&1); then`, caught: "locked"},
	{script: "begin.sh", old: `"$T $K") return ;;`, new: `"$T "*) return ;;`, caught: "locked"},
	{script: "begin.sh", old: `	confirmed | undone)
		if`, new: `	never)
		if`, caught: "ended by itself before"},
	{script: "begin.sh", old: `	confirmed | undone)
		if`, new: `	confirmed | undone | prepared)
		if`, caught: "second operator"},
	{script: "begin.sh", old: `if mine; then rm -rf "$X"; fi
	drop`, new: `:`, caught: "an armed run there"},
	{script: "begin.sh", old: `[ "$held" = "$T $K" ] || {
		echo 'it does not`, new: `true || {
		echo 'it does not`, caught: "lock not written"},
	{script: "begin.sh", old: `[ "$x" = "$X.new" ] || [ -h "$x" ] ||`, new: `[ "$x" = "$X.new" ] ||`, caught: "dead run of somebody"},
	{script: "begin.sh", old: `	armed | loaded | undoing)`, new: `	loaded | undoing)`, caught: "an armed run there"},
	{script: "begin.sh", old: `	armed | loaded | undoing)`, new: `	armed | undoing)`, caught: "an armed run there"},
	{script: "begin.sh", old: `	armed | loaded | undoing)`, new: `	armed | loaded)`, caught: "an armed run there"},
	{script: "begin.sh", old: `	rm -rf "$x"
done`, new: `	:
done`, caught: "dead run of somebody"},
	{script: "begin.sh", old: `if [ ! -f "$X.new/end" ]; then`, new: `if false; then`, caught: "cut in the payload"},
	{script: "begin.sh", old: `if [ -h "$1" ] || { [ -e "$1" ] && [ ! -f`, new: `if { [ -e "$1" ] && [ ! -f`, caught: "planted links"},
	{script: "begin.sh", old: ` && ! at_work "$S/txn-$over"`, new: ``, caught: "taken while undoing"},
	{script: "begin.sh", old: `		waited=yes
		sleep 1`, new: `		waited=yes`, caught: "lock of a killed beginner"},
	{script: "begin.sh", old: `[ "$over" != "$T" ] && `, new: ``, caught: "one machine, undone"},
	{script: "lib.sh", old: `if [ "$held" = "$T $K" ]; then rm -rf "$S/lock"; fi`, new: `rm -rf "$S/lock"`, caught: "lock lost in prepare"},
	{script: "lib.sh", old: `[ "$key" = "$K" ]`, new: `:`, caught: "one machine, two names"},
	{script: "lib.sh", old: `	[ "$start" = "$2" ]`, new: `	:`, caught: "number of another process"},
	{script: "unlock.sh", old: `if beginning; then`, new: `if false; then`, caught: "unlock while it prepares"},
	{script: "unlock.sh", old: `if at_work "$S/txn-$over"; then`, new: `if false; then`, caught: "taken while confirming"},
	{script: "lib.sh", old: `while [ "${num#0?}" != "$num" ]; do num=${num#0}; done`, new: `:`, caught: "counter with a zero"},
	{script: "run.sh", old: `[ ! -h "$d" ] || fail foreign`, new: `true || fail foreign`, caught: "planted links"},
	{script: "run.sh", old: `if same_boot && lives "$1" "$2"; then kill`, new: `if same_boot; then kill`, caught: "number of another process"},
	{script: "run.sh", old: `		move armed loaded
		rm -f "$X/pid"`, new: `		move armed loaded`, caught: "number of another process"},
	{script: "run.sh", old: `[ -z "$stale" ] || fail stale "${stale# }"`, new: `:`, caught: "stale"},
	{script: "run.sh", old: `if [ -f "$left" ]; then must "remove $left" rm -f "$left"; fi`, new: `:`, caught: "dead run of somebody"},
	{script: "run.sh", old: `*) [ "$free" -ge "$need" ] ||`, new: `*) true ||`, caught: "no space"},
	{script: "run.sh", old: `must "set the mode of $new" chmod "$mode" "$new"`, new: `:`, caught: "applied"},
	{script: "run.sh", old: `*) mode=$was ;;`, new: `*) ;;`, caught: "applied"},
	{script: "run.sh", old: `must "set the owner of $new" chown 0:0 "$new"`, new: `:`, caught: "owner"},
	{
		script: "run.sh", old: `[ "$now" = "$target" ] || fail truncated "$new did`, new: `true || fail truncated "$new did`,
		caught: "truncated",
	},
	{script: "run.sh", old: `said=$(timeout 60 sh "$X/check.$n"`, new: `said=$(true "$X/check.$n"`, caught: "checker refuses"},
	{script: "run.sh", old: `must "back up $path" cp -p "$path" "$b/$n"
			must`, new: `must "back up $path" cp "$X/files" "$b/$n"
			must`, caught: "applied"},
	{script: "run.sh", old: `[ "$now" = "$base" ] || fail stale "$path"
		fi
		[ "$base" = "$target" ] || original`, new: `:
		fi
		[ "$base" = "$target" ] || original`, caught: "edited at the backup"},
	{script: "run.sh", old: `[ "$base" = "$target" ] || original`, new: `:`, caught: "applied"},
	{script: "run.sh", old: `if [ -e "$S/original/file$path" ] ||`, new: `if`, caught: "original of the first run"},
	{script: "run.sh", old: `from=$older/$i was=$hash`, new: `:`, caught: "backups"},
	{script: "run.sh", old: `rm -rf "$S/backup/$T" "$X"
	drop`, new: `rm -rf "$S/backup/$T" "$X"`, caught: "stale, alone"},
	{script: "run.sh", old: `rm -rf "$S/backup/$T" "$X"`, new: `rm -rf "$S/backup/$T"`, caught: "stale, alone"},
	{script: "run.sh", old: `rm -rf "$S/backup/$T" "$X"`, new: `rm -rf "$X"`, caught: "checked after the backup"},
	{script: "run.sh", old: `	status=$?
	tidy`, new: `	status=$?
	:`, caught: "checker refuses"},

	// Commit.
	{script: "run.sh", old: `mkdir "$X/once" 2>/dev/null; then`, new: `true; then`, caught: "asked twice"},
	{script: "run.sh", old: `setsid sh "$X/run" body`, new: `sh "$X/run" body`, caught: "session killed"},
	{
		script: "run.sh", old: `while { [ "$mark" = prepared ] || [ "$mark" = armed ]; } && busy; do`, new: `while false; do`,
		caught: "asked twice",
	},
	{script: "run.sh", old: `body() {
	ours`, new: `body() {
	:`, caught: "lock lost before the commit"},
	{script: "run.sh", old: `		arm_boot
		arm 1`, new: `		arm 1`, caught: "power cut at work"},
	{script: "run.sh", old: `		arm 1 "$(number "$X/first")"`, new: `		:`, caught: "killed at work"},
	{script: "run.sh", old: `		again
		pending`, new: `		pending`, caught: "edited after prepare"},
	{script: "run.sh", old: `		pending
		must`, new: `		must`, caught: "pending"},
	{script: "run.sh", old: `		move prepared armed
	) || {`, new: `		:
	) || {`, caught: "applied"},
	{script: "run.sh", old: `		(disarm)
		rm`, new: `		rm`, caught: "edited after prepare, alone"},
	{script: "run.sh", old: `		arm 2 "$(number "$X/later")"`, new: `		:`, caught: "applied"},
	{script: "run.sh", old: `		move armed loaded`, new: `		:`, caught: "applied"},
	{script: "run.sh", old: `	sh "$X/run" undo body
	rm`, new: `	rm`, caught: "activation fails alone"},
	{script: "run.sh", old: `must "write $boot_link" ln -sf "$boot_unit" "$boot_link"`, new: `:`, caught: "power cut"},
	{script: "run.sh", old: `	fi
	echo "$unit" >"$X/timer" || fail no-space "cannot write $X/timer"
	stop_timer "$before" "$since"`, new: `	fi
	echo "$unit" >"$X/timer" || fail no-space "cannot write $X/timer"`, caught: "applied"},
	{script: "run.sh", old: `must "remove $boot_unit" rm -f "$boot_unit" "$boot_link"`, new: `:`, caught: "applied"},
	{script: "run.sh", old: `		stop_timer "$before" "$since"
		must`, new: `		must`, caught: "applied"},
	{script: "run.sh", old: `[ "$now" = "$base" ] || fail stale "$path"
		if [ "$target" != absent ]`, new: `if [ "$target" != absent ]`, caught: "edited after prepare"},
	{
		script: "run.sh", old: `[ "$now" = "$target" ] || fail truncated "the upload`, new: `true || fail truncated "the upload`,
		caught: "upload changed",
	},
	{script: "run.sh", old: `must "write $X/pending" cp "$S/pending" "$X/pending"`, new: `:`, caught: "killed before the step"},
	{
		script: "run.sh", old: `must "create $path" ln -T "$tmp.new" "$path"`, new: `must "create $path" mv -f "$tmp.new" "$path"`,
		caught: "created",
	},
	{script: "run.sh", old: `[ "$slipped" = "$base" ] || fail conflict`, new: `true || fail conflict`, caught: "edited at the rename"},
	{script: "run.sh", old: `	: >"$step/begun" ||`, new: `	: ||`, caught: "activation fails"},
	{script: "run.sh", old: `timeout "$time" sh "$1"`, new: `sh "$1"`, caught: "hangs"},
	{script: "run.sh", old: `		run "$step/cmd"
		settle
	done
}

places()`, new: `		run "$step/cmd"
	done
}

places()`, caught: "never loaded"},
	{script: "run.sh", old: `[ "$up" -lt "$end" ] || fail`, new: `false || fail`, caught: "settles late"},

	// Confirm, undo, release.
	{script: "undo.sh", old: `if [ -s "$step/keep" ]; then # no undo`, new: `if false; then # no undo`, caught: "kept at the confirm"},
	{script: "undo.sh", old: `sh "$X/run" keep || exit 1`, new: `sh "$X/run" keep`, caught: "not to be kept"},
	{script: "undo.sh", old: `flock -o -w 60 "$X/mutex" sh "$X/run" keep`, new: `sh "$X/run" keep`, caught: "undone while it is kept"},
	{script: "undo.sh", old: `	esac
	ended
`, new: `	esac
`, caught: "overtaken"},
	{script: "undo.sh", old: `if [ -f "$X/by" ]; then read -r by <"$X/by"; fi
	{`, new: `	{`, caught: "overtaken"},
	{script: "undo.sh", old: `[ "$mark" = confirmed ] || fail unconfirmed "the run is $mark"`, new: `:`, caught: "timer before confirm"},
	{script: "undo.sh", old: `and undoes
	disarm`, new: `and undoes`, caught: "applied"},
	{script: "undo.sh", old: `if [ "$mark" != undoing ]; then # confirmed`, new: `if false; then # confirmed`, caught: "timer after confirm"},
	{script: "undo.sh", old: `	armed | loaded)
		mv "$X/state.$mark" "$X/state.undoing"`, new: `	armed)
		mv "$X/state.$mark" "$X/state.undoing"`, caught: "controller dies"},
	{script: "undo.sh", old: `	armed | loaded)
		mv "$X/state.$mark" "$X/state.undoing"`, new: `	loaded)
		mv "$X/state.$mark" "$X/state.undoing"`, caught: "killed at work"},
	{script: "undo.sh", old: `if [ "$1" != body ]; then interrupt; fi`, new: `:`, caught: "timer at work"},
	{script: "undo.sh", old: `for what in pid working; do`, new: `for what in pid; do`, caught: "timer at work"},
	{script: "undo.sh", old: `for what in pid working; do`, new: `for what in working; do`, caught: "timer while it settles"},
	{
		script: "undo.sh", old: `elif [ "$now" = "$target" ] && [ "$slipped" != "$base" ]; then`, new: `elif false; then`,
		caught: "edited at the rename",
	},
	{script: "undo.sh", old: `elif [ "$now" != "$target" ]; then
		theirs`, new: `elif false; then
		theirs`, caught: "edited after commit"},
	{script: "undo.sh", old: `if [ "$(sum "$tmp.old")" != "$base" ]; then`, new: `if false; then`, caught: "old content gone"},
	{script: "undo.sh", old: `must "restore $path" mv -f "$tmp.old" "$path"`, new: `:`, caught: "controller dies"},
	{script: "undo.sh", old: `must "remove $path" mv -f "$path" "$tmp.undone"`, new: `:`, caught: "created"},
	{
		script: "undo.sh", old: `must "remove $path" mv -f "$path" "$tmp.undone"`, new: `must "remove $path" rm -f "$path"`,
		caught: "edited at the undo",
	},
	{script: "undo.sh", old: `must "restore $path" ln -T "$tmp.old" "$path"`, new: `:`, caught: "deleted"},
	{script: "undo.sh", old: `ln -T "$path" "$tmp.undone"`, new: `:`, caught: "edited at the undo"},
	{
		script: "undo.sh", old: `if [ -f "$tmp.undone" ] && [ "$theirs" = 0 ]`, new: `if [ "$now" != "$base" ] && [ -f "$tmp.undone" ]`,
		caught: "edited at the undo",
	},
	{
		script: "undo.sh", old: `must "keep what somebody else wrote into $path" mv -f "$tmp.undone" "$path"`, new: `:`,
		caught: "edited at the undo",
	},
	{script: "undo.sh", old: `	if [ -n "$stuck" ]; then
		end`, new: `	if false; then
		end`, caught: "one file stuck"},
	{script: "undo.sh", old: `for try in first last; do`, new: `for try in last; do`, caught: "one file stuck"},
	{script: "undo.sh", old: `if [ -n "$stuck" ]; then stuck="$stuck;`, new: `if false; then stuck="$stuck;`, caught: "one file stuck"},
	{script: "undo.sh", old: ` && [ -n "$restored" ]; then`, new: `; then`, caught: "one file stuck"},
	{script: "undo.sh", old: `exec flock -o -w 60 "$X/run" sh`, new: `exec sh`, caught: "taken while confirming"},
	{
		script: "undo.sh", old: `if [ -f "$X/by" ]; then read -r by <"$X/by"; fi
	case $by in asked | timer | boot | body) printf 'by %s\n' "$by" ;; esac`,
		new: `if [ -f "$X/by" ]; then printf 'by %s\n' "$(cat "$X/by")"; fi`, caught: "lines in a file",
	},
	{script: "lib.sh", old: `while read -r line || [ -n "$line" ]; do`, new: `while read -r line; do`, caught: "a long reason"},
	{script: "undo.sh", old: `if [ ! -f "$step/begun" ]; then continue; fi`, new: `:`, caught: "killed before the step"},
	{script: "undo.sh", old: `elif [ "$1" != boot ] && [ -z`, new: `elif [ -z`, caught: "power cut"},
	{script: "undo.sh", old: `[ "$1" != boot ] && [ -z "$foreign" ] && [ -f`, new: `[ "$1" != boot ] && [ -f`, caught: "edited after commit"},
	{script: "undo.sh", old: `[ -z "$foreign" ] && [ -f "$step/again" ] &&`, new: `[ -z "$foreign" ] &&`, caught: "step of a created file"},
	{script: "undo.sh", old: `	if [ -s "$step/undo" ]; then
		run "$step/undo"`, new: `	if false; then
		run "$step/undo"`, caught: "live state back"},
	{script: "undo.sh", old: `exec flock -o -w 600 "$X/mutex" sh`, new: `exec sh`, caught: "undone twice at once"},
	{script: "undo.sh", old: `	(disarm "$1") # what`, new: `	: # what`, caught: "controller dies"},
	{script: "undo.sh", old: `	move undoing "$end"`, new: `	:`, caught: "controller dies"},
	{
		script: "undo.sh", old: `	armed | loaded | undoing) fail armed "run $T is $mark: confirm`,
		new: `	undoing) fail armed "run $T is $mark: confirm`, caught: "release of what is armed",
	},
	{
		script: "undo.sh", old: `	prepared) must "mark the run released" mv "$X/state.prepared" "$X/released" ;;`, new: `	prepared) ;;`,
		caught: "commit after the release",
	},
	{script: "undo.sh", old: `	disarm
	tidy`, new: `	tidy`, caught: "unit stays at the confirm"},
	{script: "undo.sh", old: `	disarm
	tidy`, new: `	disarm`, caught: "applied"},
	{
		script: "undo.sh", old: `confirmed* | undoneyes) must "remove $S/pending" rm -f "$S/pending" ;;`, new: `confirmed* | undoneyes) ;;`,
		caught: "applied",
	},
	{script: "undo.sh", old: `must "write $S/pending" mv "$X/pending" "$S/pending"`, new: `:`, caught: "killed before the step"},
	{
		script: "undo.sh", old: `if [ "$held" = "$T $K" ]; then must "remove $S/lock"`, new: `if true; then must "remove $S/lock"`,
		caught: "lock lost before the commit",
	},
	{script: "undo.sh", old: `must "remove $X" rm -rf "$X"
	owner`, new: `owner`, caught: "applied"},
	{script: "undo.sh", old: `if [ "$(number "$b/counter")" -gt "$least" ]; then continue`, new: `if true; then continue`, caught: "backups"},
	{script: "undo.sh", old: `if [ -s "$b/digest" ]; then`, new: `if false; then`, caught: "backups"},
	{script: "undo.sh", old: `tail -n 999 "$S/digests"`, new: `true "$S/digests"`, caught: "backups"},
	{script: "undo.sh", old: `case ${b##*/} in *[!a-z0-9-]*) continue ;; esac`, new: `:`, caught: "backups"},

	// The hash check of the journal, before any command of the journal runs.
	{script: "call.sh", old: `	if [ "$given" != "$D" ]; then`, new: `	if false; then`, caught: "another journal"},
	{script: "call.sh", old: `	if [ "$given" != "$D" ]; then`, new: `	if [ -n "$D" ] && [ "$given" != "$D" ]; then`, caught: "another journal"},
	{script: "call.sh", old: `	if [ "$given" != "$D" ]; then`, new: `	if [ -n "$given" ] && [ "$given" != "$D" ]; then`, caught: "another journal"},
	{script: "run.sh", old: `"$X/lives" "$X/digest" "$b"`, new: `"$X/lives" "$b" && : >"$b/digest"`, caught: "another journal"},
	{script: "read.sh", old: `	[ "$is" = same ]`, new: `	:`, caught: "another journal"},
	{script: "read.sh", old: `if [ "$has" = "$2" ] &&`, new: `if`, caught: "another journal"},
	{script: "read.sh", old: `if [ "$run" = "$1" ]; then has=$sum`, new: `if true; then has=$sum`, caught: "another journal"},
	{script: "read.sh", old: `"$S/backup/$1/digest"; do`, new: `; do`, caught: "another journal"},

	// The undo.
	{script: "undo.sh", old: `	refusals base
`, new: ``, caught: "old content refused"},
	{script: "undo.sh", old: `	back
	refusals base
`, new: `	refusals base
	back
`, caught: "old content refused"},
	{script: "undo.sh", old: `if [ -f "$text" ]; then cp "$text"`, new: `if false; then cp "$text"`, caught: "old content refused"},
	{script: "lib.sh", old: `tell "refuses ${text##*.}" "$text"`, new: `:`, caught: "old content refused"},
	{script: "run.sh", old: `{ [ ! -f "$X/back" ] || refusals target; } && `, new: ``, caught: "kept goes back"},
	{script: "run.sh", old: `if [ ! -f "$X/back" ]; then judge`, new: `if true; then judge`, caught: "kept goes back"},
	{script: "run.sh", old: `if [ ! -f "$X/back" ]; then judge`, new: `if false; then judge`, caught: "kept goes back"},
	{script: "run.sh", old: `if [ "$1" = target ]; then want=$target; fi`, new: `:`, caught: "kept goes back"},
	{script: "undo.sh", old: `	rm -f "$step/in-use"`, new: `	:`, caught: "in use once back"},
	{script: "undo.sh", old: `if [ "$1" != boot ]; then as_before; fi`, new: `:`, caught: "in use once back"},
	{script: "undo.sh", old: `[ "$(sum "$step/now")" = "$(sum "$X/live/$name")" ] || return 0`, new: `:`, caught: "in use once back"},
	{script: "undo.sh", old: `	look
`, new: ``, caught: "in use once back"},
	{script: "undo.sh", old: `		if [ -s "$step/undo" ]; then
			as_before
`, new: `		if false; then
			as_before
`, caught: "in use once back"},
	{script: "lib.sh", old: `if [ ! -f "$S/backup/$T/$i" ]; then return 0; fi`, new: `:`, caught: "back, and not taken"},
	{script: "undo.sh", old: `(unstep "$1") || failed=yes`, new: `unstep "$1"`, caught: "steps go back each"},
	{script: "undo.sh", old: `	[ -z "$failed" ]
`, new: `	:
`, caught: "steps go back each"},
}

// flushes returns the mutants without one of the flushes. A box loses no data at a power cut, so the tests compare the list of flushes
// instead. The matrix of package internal/matrix has real power cuts.
func flushes(t *testing.T, script, text string) []mutant {
	var all []mutant
	call := regexp.MustCompile(`(must "[^"]*" )?\bflush "[^|&;)]*`)
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if at := call.FindStringIndex(l); at != nil {
			old := lines[i-1] + l
			for back := 2; strings.Count(text, old) > 1; back++ {
				old = lines[i-back] + old
			}
			all = append(all, mutant{script, old, strings.TrimSuffix(old, l) + l[:at[0]] + ":" + trail(l[at[0]:at[1]]) + l[at[1]:], "flushed"})
		}
	}
	require.NotEmpty(t, all)
	return all
}

// trail returns the line break at the end of a match.
func trail(match string) string { return match[len(strings.TrimRight(match, "\n")):] }

// Every mutant fails its scenario.
func TestScriptMutants(t *testing.T) {
	machinetest.Long(t)
	if *update {
		t.Skip("a golden must not be written from a mutant")
	}
	machinetest.Root(t, "plays a device of a mutant") // the recorder cannot skip
	all := slices.Clone(mutants)
	text := map[string]string{}
	for _, name := range []string{
		"begin.sh", "run.sh", "undo.sh", "lib.sh", "trust.sh", "call.sh", "sweep.sh", "unlock.sh", "mark.sh", "held.sh", "read.sh",
	} {
		data, err := os.ReadFile("../device/scripts/" + name)
		require.NoError(t, err)
		text[name] = string(data)
		if slices.Contains([]string{"begin.sh", "run.sh", "undo.sh"}, name) { // memory is not flushed
			all = append(all, flushes(t, name, text[name])...)
		}
	}
	for i, m := range all {
		require.Equal(t, 1, strings.Count(text[m.script], m.old), "not once in %s: %s", m.script, m.old)
		if i%mutantStride() != 0 {
			continue
		}
		t.Run(fmt.Sprintf("%d %s", i, m.caught), func(t *testing.T) {
			t.Parallel()
			run := scenarios[m.caught]
			require.NotNil(t, run)
			why := failure(t, func(t testing.TB) {
				b := newBox(t, "leaf01")
				b.Edits = []boxtest.Edit{{Old: m.old, New: m.new}}
				run(t, b)
			})
			require.NotEmpty(t, why, "nobody misses %s", m.old)
			t.Log(why)
		})
	}
}

// mutantStride is the step from one tested mutant to the next: make test-long tests all mutants, other runs only a part.
func mutantStride() int {
	switch {
	case *whole:
		return 1
	case testing.Short():
		return 97
	}
	return 47
}

// recorder replaces testing.T for a scenario that should fail.
type recorder struct {
	testing.TB
	mu  sync.Mutex
	why []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.why = append(r.why, strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) FailNow() { runtime.Goexit() }

// failure runs a test and returns its failure; empty: the test passed.
func failure(t testing.TB, run func(testing.TB)) string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(r)
	}()
	<-done
	return strings.Join(r.why, "; ")
}
