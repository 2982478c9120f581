package device

import (
	_ "embed"
	"strings"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/deploy/order"
)

// command returns the command line of a script with arguments for the login shell. It contains only plain words and quoted text, so the
// login shell need not be a POSIX shell.
func command(script string, args ...string) string {
	return quoted(append([]string{"sh", "-c", script, "rocec"}, args...))
}

const (
	// becomeRoot has the arguments GATE SCRIPT rocec ARGS. On a device with a gate it runs GATE. Otherwise the script runs as root, by sudo if
	// the login user is not root.
	becomeRoot = `gate=$1 sudo='sudo -n'
shift
if [ "$(id -u)" = 0 ]; then sudo=; fi
if [ -n "$gate" ] && [ -x ` + order.Gate + ` ] && [ -e ` + order.Signers + ` ]; then
	eval "$gate"
	exit
fi
exec $sudo sh -c "$@"`

	// becomeReader runs a script as root if sudo needs no password. Otherwise the script runs as the login user, who can read most of the
	// files.
	becomeReader = `if [ "$(id -u)" = 0 ]; then exec sh -c "$@"; fi
if sudo -n true 2>/dev/null; then exec sudo -n sh -c "$@"; fi
exec sh -c "$@"`

	// verbAndRead has three arguments: a script, a read and a verb. It runs the script with the verb, and then the read. If the argument
	// of the read is empty, the read comes on stdin.
	verbAndRead = `q=${2:-$(cat)}
sh -c "$1" rocec "$3" asked </dev/null || exit
eval "$q"
`
)

// byGate returns the command by which becomeRoot runs a verb of the gate. The words have no NUL.
func byGate(words ...string) string { return "exec $sudo " + order.Gate + " " + quoted(words) }

// gateAndRead is byGate for a verb before a read, with the arguments of [verbAndRead] behind the script and its name.
func gateAndRead(words ...string) string {
	return "$sudo " + order.Gate + " " + quoted(words) + " </dev/null || exit\nq=${4:-$(cat)}\neval \"$q\""
}

// quoted returns words of a shell.
func quoted(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, scripts.Quote(w))
	}
	return strings.Join(out, " ")
}

// calling returns the script that resumes a run by a verb. The script fails unless the run on the device has the digest; empty: it is not
// known.
func calling(run deploy.Run, digest string) string { return scripts.Call(run.Name, run.Key, digest) }

// BootUnit is the systemd unit that undoes a run when a device comes up before the run was confirmed.
func BootUnit(run deploy.Run) string {
	return "/etc/systemd/system/rocec-undo-" + run.Name + ".service"
}
