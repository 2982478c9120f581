package steps

import (
	"errors"
	"regexp"
	"strings"
	"sync"
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

// commandForms are the forms of single commands, see grammar.Sequence.
var commandForms = sync.OnceValue(func() []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, form := range []string{
		`ecnconfig -p ` + aName + `(?: -gmin ` + aNumber + `)?(?: -gmax ` + aNumber + `)?(?: -gdrop ` + aNumber + `)?`,
		`pfcwd interval ` + aNumber,
		`pfcwd stop ` + aPort + `(?: ` + aPort + `)*`,
		`pfcwd start --action (?:drop|forward|alert)(?: ` + aPort + `)+ ` + aNumber + ` --restoration-time ` + aNumber,
		`sonic-db-cli CONFIG_DB DEL 'PFC_WD\|GLOBAL'`,
	} {
		out = append(out, regexp.MustCompile(`\A`+form+`\z`))
	}
	return out
})

var (
	shutdown = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\Aconfig interface shutdown (` + aPort + `)\z`) })
	dropForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\Adrop ` + aPort + `(?: ` + aGroup + `)*\z`) })
)

var errCommand = errors.New("a command of a stage is not one of rocec's")

// checkScript returns nil for the script of a step: commands, and then drops. A port that goes down comes up again by the next command.
func checkScript(script string) error {
	commands, drops, has := strings.Cut(script, DropScript)
	if has {
		drops, has = strings.CutSuffix(drops, AgainScript)
		if !has || drops == "" {
			return errCommand
		}
	}
	for line := range strings.Lines(drops) {
		if line, ok := strings.CutSuffix(line, ends+"\n"); !ok || !dropForm().MatchString(line) {
			return errCommand
		}
	}
	down := "" // the port that the last command has shut down
	for line := range strings.Lines(commands) {
		line, ok := strings.CutSuffix(line, ends+"\n")
		if !ok || down != "" && line != "config interface startup "+down {
			return errCommand
		}
		if down != "" {
			down = ""
			continue
		}
		if m := shutdown().FindStringSubmatch(line); m != nil {
			down = m[1]
			continue
		}
		if !single(line) {
			return errCommand
		}
	}
	if down != "" {
		return errCommand
	}
	return nil
}

// single reports whether a line is a single command of rocec's.
func single(line string) bool {
	for _, form := range commandForms() {
		if form.MatchString(line) {
			return true
		}
	}
	return false
}
