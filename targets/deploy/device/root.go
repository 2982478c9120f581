package device

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// Sudo is the password by which login users become root, asked for once. A nil Sudo is none: users become root without one, or
// not at all.
type Sudo struct {
	password string
	trying   chan struct{} // holds one: devices try the password one after the other, until one has taken it

	mu    sync.Mutex
	right bool // a device has taken it
	wrong bool // the first that asked for it has refused it: it is not tried on others, which would lock accounts
}

// NewSudo is a password, which must not hold a line break.
func NewSudo(password string) (*Sudo, error) {
	if strings.ContainsAny(password, "\n\r\x00") {
		return nil, errors.New("a password of one line is wanted")
	}
	return &Sudo{password: password, trying: make(chan struct{}, 1)}, nil
}

// The two ways in which a sudo password does not help.
var (
	errPassword  = errors.New("sudo does not take the password on this device")
	errElsewhere = errors.New("sudo on another device did not take the password, and it is not tried here")
)

func (s *Sudo) known() (right, wrong bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.right, s.wrong
}

// asRoot runs a script as root, with arguments and stdin. reads is whether it only looks: then it runs as who logged in where
// nothing makes that user root.
func (d *Device) asRoot(ctx context.Context, reads bool, stdin []byte, script string, args ...string) ([]byte, error) {
	if d.Of.Login.User == "root" {
		return d.conn.Run(ctx, command(script, args...), stdin)
	}
	if d.sudo == nil {
		wrapper := becomeRoot
		if reads {
			wrapper = becomeReader
		}
		return d.conn.Run(ctx, command(wrapper, append([]string{script, "rocec"}, args...)...), stdin)
	}
	if err := d.try(ctx); err != nil {
		return nil, err
	}
	return d.withPassword(ctx, stdin, script, args)
}

// tryTime is how long sudo may take with a password. Other devices wait meanwhile.
const tryTime = 20 * time.Second

// try finds out whether the password is right, on the first device whose sudo asks for it.
func (d *Device) try(ctx context.Context) error {
	s := d.sudo
	if right, _ := s.known(); right {
		return nil
	}
	select {
	case s.trying <- struct{}{}:
		defer func() { <-s.trying }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if right, wrong := s.known(); right {
		return nil
	} else if wrong {
		return errElsewhere
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	out, err := d.conn.Run(ctx, command(tryPassword), []byte(s.password+"\n"))
	s.mu.Lock()
	defer s.mu.Unlock()
	exit, refused := errors.AsType[*target.ExitError](err)
	switch {
	case refused:
		s.wrong = true
		return fmt.Errorf("%w: %s", errPassword, lastLine(exit.Stderr))
	case err != nil:
		return err
	}
	s.right = string(out) == "taken\n"
	return nil
}

// withPassword runs a script by sudo with a password. The password is all that sudo gets on stdin. What the script is to read
// goes ahead, over a channel of its own, into a folder of the login user; root takes it from there by its SHA-256.
func (d *Device) withPassword(ctx context.Context, stdin []byte, script string, args []string) ([]byte, error) {
	staged := base64.StdEncoding.EncodeToString(stdin)
	name := ".rocec-" + strings.ToLower(rand.Text())
	if _, err := d.conn.Run(ctx, command(stage, name), []byte(staged)); err != nil {
		return nil, err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(staged)))
	wrapped := command(becomeRootByPassword, append([]string{takeStaged, "rocec", name, sum, script}, args...)...)
	out, err := d.conn.Run(ctx, wrapped, []byte(d.sudo.password+"\n"))
	if _, failed := errors.AsType[*target.ExitError](err); failed { // perhaps of sudo, and nobody took it
		_, _ = d.conn.Run(ctx, command(unstage, name), nil) // what failed is worth more words than this
	}
	return out, err
}

const (
	// stage keeps stdin for root, in a folder that nobody else may look into.
	stage = `umask 077
mkdir "$HOME/$1" && cat >"$HOME/$1/in"
`

	// unstage takes away what nobody took.
	unstage = `rm -rf "$HOME/${1:?}"`

	// tryPassword becomes root and does nothing. -k has sudo ask in every case but NOPASSWD.
	tryPassword = `if [ "$(id -u)" = 0 ] || sudo -k -n true 2>/dev/null; then echo free; exit; fi
sudo -k -S -p '' true && echo taken`

	// becomeRootByPassword hands stdin, the password, to sudo. -k has it ask in every case but NOPASSWD, where it reads nothing.
	becomeRootByPassword = `if [ "$(id -u)" = 0 ]; then exec env ROCEC_HOME="$HOME" sh -c "$@"; fi
exec sudo -k -S -p '' env ROCEC_HOME="$HOME" sh -c "$@"`

	// takeStaged runs a script with what was staged as its stdin: NAME SUM SCRIPT ARGS.
	takeStaged = `in=$ROCEC_HOME/$1
staged=$(cat "$in/in")
rm -rf "$in"
have=$(printf %s "$staged" | sha256sum)
if [ "${have%% *}" != "$2" ]; then
	echo 'rocec-fail truncated' >&2
	echo 'what was sent did not arrive as it was' >&2
	exit 1
fi
script=$3
shift 3
printf %s "$staged" | base64 -d | sh -c "$script" rocec "$@"
`
)
