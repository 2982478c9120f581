package steps

import (
	"regexp"
	"strings"

	"github.com/rocec/rocec/targets/commands"
)

// DropScript is the part of a script before lines "drop PORT GROUP...". It defines drop, which deletes the groups of the buffer manager at
// a port, except some.
const DropScript = `db() { sonic-db-cli CONFIG_DB "$@"; }
drop() {
	port=$1
	shift
	keep=" $* " gone=
	for key in $(db KEYS "BUFFER_PG|$port|*"); do
		case $keep in *" ${key##*|} "*) continue ;; esac
		case $(db HGET "$key" profile) in pg_lossless_*_profile) ;; *) continue ;; esac
		db DEL "$key" || return
		gone=1
	done
	if [ -n "$gone" ]; then
		for group in "$@"; do again="$again $port|$group"; done
	fi
}
again= set=
sleep 2
`

// AgainScript is the part of a script after these lines. It sets the remaining groups again.
const AgainScript = `if [ -n "$again" ]; then
	sleep 2
	for row in $again; do
		profile=$(db HGET "BUFFER_PG|$row" profile)
		[ -n "$profile" ] || continue
		db DEL "BUFFER_PG|$row" || exit
		set="$set $row=$profile"
	done
	sleep 2
	for row in $set; do db HSET "BUFFER_PG|${row%%=*}" profile "${row#*=}" || exit; done
fi
`

// The arguments of commands. None begins with "-", and no shell expands any.
const (
	aPort   = `Ethernet[0-9]{1,4}`
	aName   = `[A-Za-z0-9][A-Za-z0-9_-]{0,63}`
	aNumber = `[0-9]{1,12}`
	aGroup  = `[0-7](?:-[0-7])?`
)

// ends ends each line of a command: the script ends at the first command that fails.
const ends = " || exit"

// The forms of commands, see grammar.Sequence.
const (
	singleForm = `\A(?:` +
		`ecnconfig -p ` + aName + `(?: -gmin ` + aNumber + `)?(?: -gmax ` + aNumber + `)?(?: -gdrop ` + aNumber + `)?|` +
		`pfcwd interval ` + aNumber + `|` +
		`pfcwd stop ` + aPort + `(?: ` + aPort + `)*|` +
		`pfcwd start --action (?:drop|forward|alert)(?: ` + aPort + `)+ ` + aNumber + ` --restoration-time ` + aNumber + `|` +
		`sonic-db-cli CONFIG_DB DEL 'PFC_WD\|GLOBAL'` +
		`)\z`
	shutdownForm = `\Aconfig interface shutdown (` + aPort + `)\z`
	dropForm     = `\Adrop ` + aPort + `(?: ` + aGroup + `)*\z`
)

// scriptForms are the forms of the lines of a script.
type scriptForms struct{ single, shutdown, drop *regexp.Regexp }

func newScriptForms() *scriptForms {
	return &scriptForms{regexp.MustCompile(singleForm), regexp.MustCompile(shutdownForm), regexp.MustCompile(dropForm)}
}

// foreignCommand is the reason for a line of a script that rocec does not make.
const foreignCommand = commands.Refusal("rocec makes no such command of a stage")

// check returns nil for the script of a step: commands, and then drops. A port that goes down comes up again by the next command.
func (f *scriptForms) check(script string) error {
	singles, drops, has := strings.Cut(script, DropScript)
	if has {
		drops, has = strings.CutSuffix(drops, AgainScript)
		if !has || drops == "" {
			return foreignCommand
		}
	}
	for line := range strings.Lines(drops) {
		if line, ok := strings.CutSuffix(line, ends+"\n"); !ok || !f.drop.MatchString(line) {
			return foreignCommand
		}
	}
	down := "" // the port that the last command has shut down
	for line := range strings.Lines(singles) {
		line, ok := strings.CutSuffix(line, ends+"\n")
		if !ok || down != "" && line != "config interface startup "+down {
			return foreignCommand
		}
		if down != "" {
			down = ""
			continue
		}
		if m := f.shutdown.FindStringSubmatch(line); m != nil {
			down = m[1]
			continue
		}
		if !f.single.MatchString(line) {
			return foreignCommand
		}
	}
	if down != "" {
		return foreignCommand
	}
	return nil
}
