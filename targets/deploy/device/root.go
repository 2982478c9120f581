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

	"github.com/rocec/rocec/targets/deploy/order"
	"github.com/rocec/rocec/targets/target"
)

// Sudo is the password by which login users become root, asked for once. With a nil Sudo users become root without a password, or not at
// all.
//
// A device that an attacker controls learns the password as soon as it asks for it. So only admitted devices get it, each only after its
// own sudo has asked, over a connection whose host key was verified. The answer of one device has no effect on another: each accepts the
// password itself, one after the other. The first refusal ends that for all devices that have not accepted it yet, since wrong passwords
// lock accounts.
type Sudo struct {
	password string
	trying   chan struct{} // holds one token: devices try the password one after the other

	mu       sync.Mutex
	admitted map[string]bool  // devices, by name
	known    map[string]needs // by name and host key, because another machine under the same name has its own need
	gates    map[string]bool  // whether the login runs the gate without a password; by name and host key
	refused  string           // the first device that refused the password
}

// needs is the requirement of sudo on a device.
type needs string

const (
	notAsked      needs = ""
	noPassword    needs = "free"
	takesPassword needs = "taken"
)

// NewSudo returns a password for the named devices. The password must not contain a line break.
func NewSudo(password string, devices ...string) (*Sudo, error) {
	if strings.ContainsAny(password, "\n\r\x00") {
		return nil, errors.New("a password of one line is wanted")
	}
	s := &Sudo{
		password: password, trying: make(chan struct{}, 1), admitted: map[string]bool{}, known: map[string]needs{}, gates: map[string]bool{},
	}
	s.Admit(devices...)
	return s, nil
}

// Admit adds devices that may get the password, and returns the devices that were not admitted before.
func (s *Sudo) Admit(devices ...string) (added []string) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range devices {
		if !s.admitted[name] {
			s.admitted[name] = true
			added = append(added, name)
		}
	}
	return added
}

// The two reasons why a sudo password does not help.
var (
	errPassword  = errors.New("sudo does not accept the password on this device")
	errElsewhere = errors.New("sudo on another device did not accept the password, so it is not tried here")
)

// of returns the known need of a device, by [Device.machine]. The error states why the password is not tried there.
func (s *Sudo) of(machine string) (needs, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[machine] == notAsked && s.refused != "" {
		return notAsked, fmt.Errorf("%w: %s refused it", errElsewhere, s.refused)
	}
	return s.known[machine], nil
}

func (s *Sudo) learn(machine string, what needs) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[machine] = what
}

// machine returns a key for the machine behind the connection. Another machine that answers under the same name has another key.
func (d *Device) machine() string { return d.Of.Name + " " + d.conn.HostKey() }

// asRoot runs a script as root, with arguments and stdin. reads states that the script only reads. Such a script runs as the login user
// if that user cannot become root. gate is the command of the login on a device with a gate ([byGate]); empty: the gate has no such
// verb.
func (d *Device) asRoot(ctx context.Context, reads bool, stdin []byte, gate, script string, args ...string) ([]byte, error) {
	through := command(becomeRoot, append([]string{gate, script, "rocec"}, args...)...)
	if gate != "" && d.Order != nil { // only the gate understands its order, also where the login is root
		return d.conn.Run(ctx, through, stdin)
	}
	if d.Of.Login.User == "root" {
		return d.conn.Run(ctx, command(script, args...), stdin)
	}
	by := false
	var err error
	if gate != "" || reads {
		by, err = besideGate(ctx, d)
	} else { // the gate does nothing of the kind
		by, err = d.byPassword(ctx)
	}
	if err != nil {
		return nil, err
	}
	if by {
		return d.withPassword(ctx, stdin, script, args)
	}
	if reads {
		return d.conn.Run(ctx, command(becomeReader, append([]string{script, "rocec"}, args...)...), stdin)
	}
	return d.conn.Run(ctx, through, stdin)
}

// besideGate is byPassword for what a gate does, too: a login that runs the gate without a password needs no password.
func besideGate(ctx context.Context, d *Device) (bool, error) {
	if !d.sudo.admits(d.Of.Name) {
		return false, nil
	}
	machine := d.machine()
	gated, asked := d.sudo.gateOf(machine)
	if !asked {
		out, err := d.conn.Run(ctx, command(asksGate), nil)
		if err != nil {
			return false, err
		}
		gated = string(out) == "gate\n"
		d.sudo.learnGate(machine, gated)
	}
	if gated {
		return false, nil
	}
	return d.byPassword(ctx)
}

func (s *Sudo) gateOf(machine string) (gated, asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gated, asked = s.gates[machine]
	return gated, asked
}

func (s *Sudo) learnGate(machine string, gated bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gates[machine] = gated
}

// tryTime is the time limit of sudo with a password. Other devices wait meanwhile.
const tryTime = 20 * time.Second

// byPassword reports whether the device's sudo requires and accepts the password. rocec sends the password only if sudo asks for it.
func (d *Device) byPassword(ctx context.Context) (bool, error) {
	s := d.sudo
	if !s.admits(d.Of.Name) {
		return false, nil
	}
	machine := d.machine()
	if what, err := s.of(machine); err != nil || what != notAsked {
		return what == takesPassword, err
	}
	out, err := d.conn.Run(ctx, command(asksPassword), nil)
	if err != nil {
		return false, err
	}
	if string(out) == "free\n" {
		s.learn(machine, noPassword)
		return false, nil
	}
	select {
	case s.trying <- struct{}{}:
		defer func() { <-s.trying }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if _, err := s.of(machine); err != nil { // another device has refused the password meanwhile
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	out, err = d.conn.Run(ctx, command(tryPassword), []byte(s.password+"\n"))
	exit, refused := errors.AsType[*target.ExitError](err)
	switch {
	case refused:
		s.refuse(d.Of.Name)
		return false, fmt.Errorf("%w: %s", errPassword, lastLine(exit.Stderr))
	case err != nil:
		return false, err
	case string(out) != "taken\n":
		s.refuse(d.Of.Name)
		return false, fmt.Errorf("%w: its answer is invalid", errPassword)
	}
	s.learn(machine, takesPassword)
	return true, nil
}

func (s *Sudo) refuse(device string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == "" {
		s.refused = device
	}
}

// admits reports whether a device may get the password.
func (s *Sudo) admits(device string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.admitted[device]
}

// withPassword runs a script by sudo with a password. sudo gets only the password on stdin. The input of the script is sent before, over
// another channel, into a folder of the login user. The script reads the input there as root, and verifies its SHA-256.
func (d *Device) withPassword(ctx context.Context, stdin []byte, script string, args []string) ([]byte, error) {
	staged := base64.StdEncoding.EncodeToString(stdin)
	name := ".rocec-" + strings.ToLower(rand.Text())
	if _, err := d.conn.Run(ctx, command(stage, name), []byte(staged)); err != nil {
		return nil, err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(staged)))
	wrapped := command(becomeRootByPassword, append([]string{takeStaged, "rocec", name, sum, script}, args...)...)
	out, err := d.conn.Run(ctx, wrapped, []byte(d.sudo.password+"\n"))
	if _, failed := errors.AsType[*target.ExitError](err); failed { // sudo may have failed before the script used the input
		_, _ = d.conn.Run(ctx, command(unstage, name), nil) // the first error is the one to report
	}
	return out, err
}

const (
	// stage keeps stdin for root, in a folder that other users cannot open.
	stage = `umask 077
mkdir "$HOME/$1" && cat >"$HOME/$1/in"
`

	// unstage removes an input that no script has used.
	unstage = `rm -rf "$HOME/${1:?}"`

	// asksPassword finds out whether sudo asks for a password. With -k, sudo asks unless the rule is NOPASSWD.
	asksPassword = `if [ "$(id -u)" = 0 ] || sudo -k -n true 2>/dev/null; then echo free; else echo asks; fi`

	// asksGate finds out whether the login runs the gate of the device without a password.
	asksGate = `if [ "$(id -u)" != 0 ] && [ -x ` + order.Gate + ` ] && [ -e ` + order.Signers + ` ] &&
	sudo -k -n ` + order.Gate + ` hello >/dev/null 2>&1; then echo gate; else echo none; fi`

	// tryPassword only becomes root.
	tryPassword = `sudo -k -S -p '' true && echo taken`

	// becomeRootByPassword passes stdin, the password, to sudo. With -k, sudo asks for it unless the rule is NOPASSWD; then sudo reads
	// nothing.
	becomeRootByPassword = `if [ "$(id -u)" = 0 ]; then exec env ROCEC_HOME="$HOME" sh -c "$@"; fi
exec sudo -k -S -p '' env ROCEC_HOME="$HOME" sh -c "$@"`

	// takeStaged runs a script with the staged input as its stdin: NAME SUM SCRIPT ARGS.
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
