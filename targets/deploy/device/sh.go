package device

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/rocec/rocec/targets/deploy"
)

// quote makes s one word of a POSIX shell. s may contain any byte except NUL, which is impossible in an argument.
func quote(s string) string {
	if strings.ContainsRune(s, 0) {
		panic("device: NUL in an argument of a device command")
	}
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// plain contains the characters that no shell treats specially, at any position in a word.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,@%-"

// command returns the command line of a script with arguments for the login shell. It contains only plain words and quoted text, so the
// login shell need not be a POSIX shell.
func command(script string, args ...string) string {
	words := []string{"sh", "-c", quote(script), "rocec"}
	for _, a := range args {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

const (
	// becomeRoot runs SCRIPT rocec ARGS as root, by sudo if the login user is not root.
	becomeRoot = `if [ "$(id -u)" = 0 ]; then exec sh -c "$@"; fi; exec sudo -n sh -c "$@"`

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

	// oneByOne runs SCRIPT rocec ARGS when no other such script is running on the device. The folder of the lock contains the marks.
	oneByOne = `umask 022
mkdir -p /run/rocec && exec flock -o -w 30 /run/rocec/flock sh -c "$@"
`
)

// The scripts of a run. Their comments explain them, and rocec sends them without comments.
var (
	//go:embed trust.sh
	trustText string
	//go:embed lib.sh
	libText string
	//go:embed begin.sh
	beginText string
	//go:embed run.sh
	runText string
	//go:embed undo.sh
	undoText string
	//go:embed call.sh
	callText string
	//go:embed unlock.sh
	unlockText string
	//go:embed sweep.sh
	sweepText string
	//go:embed mark.sh
	markText string

	beginScript  = sync.OnceValue(func() string { return bare(trustText + libText + beginText) })
	runScript    = sync.OnceValue(func() string { return bare(trustText + libText + runText + undoText) })
	callScript   = sync.OnceValue(func() string { return bare(trustText + libText + callText) })
	unlockScript = sync.OnceValue(func() string { return bare(trustText + libText + unlockText) })
	sweepScript  = sync.OnceValue(func() string { return bare(trustText + libText + sweepText) })
	markScript   = sync.OnceValue(func() string { return bare(trustText + libText + markText) })
)

// bare removes comment lines.
func bare(script string) string {
	var b strings.Builder
	for line := range strings.Lines(script) {
		if !strings.HasPrefix(strings.TrimLeft(line, "\t"), "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// script returns one of the scripts with the values of a run.
func script(text string, run deploy.Run) string {
	return "T=" + run.Name + "\nK=" + run.Key + "\n" + text
}

// calling returns the script that resumes a run by a verb. The script fails unless the run on the device has the digest that the caller
// knows.
func calling(run deploy.Run, c *Change) string {
	digest := ""
	if c != nil && validDigest(c.plan.Digest) {
		digest = c.plan.Digest
	}
	return "D=" + digest + "\n" + script(callScript(), run)
}

// validDigest reports whether a text is a hash of the part of a run on a device.
func validDigest(text string) bool { return text != deploy.Absent && deploy.ValidSum(text) }

// BootUnit is the systemd unit that undoes a run when a device comes up before the run was confirmed.
func BootUnit(run deploy.Run) string {
	return "/etc/systemd/system/rocec-undo-" + run.Name + ".service"
}
