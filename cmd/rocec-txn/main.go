// Command rocec-txn is the gate of a device: the one command that a login of rocec may run as root.
//
// The gate runs the scripts that it contains, and no text that it gets. It prepares a change only from an order (package order) that a key
// of /etc/rocec/allowed_signers signed. An order has the names of steps, queries and checkers, paths of a fixed list, and contents by
// SHA-256. The other verbs look, or end a run that an order began.
//
// It links the standard library alone. docs/rights.md describes how a person installs and removes it.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/rocec/rocec/targets/deploy/order"
)

// release is the version of rocec that the gate belongs to. The build sets it.
var release = "dev"

func main() {
	g := onDevice()
	if err := unbound(); err != nil {
		fmt.Fprintf(os.Stderr, "rocec-fail gate\n%s\n", err)
		os.Exit(1)
	}
	os.Exit(g.main(os.Args[1:], os.Stderr))
}

// onDevice returns the gate of a device. It takes no variable of its caller: TZ would move the times of signers.
func onDevice() *gate {
	os.Clearenv()
	return &gate{
		now: time.Now, signers: order.Signers, state: "/var/lib/rocec", keys: "/etc/ssh", top: "/",
		away: []string{"/etc/sudoers.d/rocec-txn", order.Signers, order.Gate},
		run:  runScript, in: os.Stdin, out: os.Stdout,
	}
}

// unbound lifts the limits of the login, which would end a script half way. Where root may not, no script runs under them.
func unbound() error {
	for limit, n := range map[int]uint64{
		syscall.RLIMIT_CPU: ^uint64(0), syscall.RLIMIT_FSIZE: ^uint64(0), syscall.RLIMIT_DATA: ^uint64(0), syscall.RLIMIT_AS: ^uint64(0),
		syscall.RLIMIT_STACK: 8 << 20, syscall.RLIMIT_NOFILE: 1024,
	} {
		if err := syscall.Setrlimit(limit, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("the login has limits that would end a script half way, and they cannot be lifted: %w", err)
		}
	}
	return nil
}

// gate is the state of one call.
type gate struct {
	now     func() time.Time
	signers string   // path of the file of signers
	state   string   // folder of rocec's state
	keys    string   // folder of the host keys
	owner   uint32   // of all files that the gate believes
	top     string   // folder down from which it looks who may change them
	away    []string // files that go with the gate, itself last
	run     func(script string, args []string, stdin io.Reader, out, errs io.Writer) error
	in      io.Reader
	out     io.Writer
}

// refusal is an error in the words of the protocol: "rocec-fail WORD", and the reason.
type refusal struct{ word, reason string }

func (r *refusal) Error() string { return r.reason }

func refuse(word, format string, args ...any) error {
	return &refusal{word, fmt.Sprintf(format, args...)}
}

// main runs a verb, and returns the exit status.
func (g *gate) main(args []string, errs io.Writer) int {
	err := g.verb(args, errs)
	var exit *exec.ExitError
	var no *refusal
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit): // the script has said why
		return max(1, exit.ExitCode())
	case !errors.As(err, &no):
		no = &refusal{"failed", err.Error()}
	}
	fmt.Fprintf(errs, "rocec-fail %s\n%s\n", no.word, no.reason)
	return 1
}

// verb finds the verb, and checks its arguments before it runs.
func (g *gate) verb(args []string, errs io.Writer) error {
	if len(args) == 0 {
		return refuse("gate", "rocec-txn needs a verb; rocec calls it")
	}
	v, known := verbs[args[0]]
	if !known {
		return refuse("gate", "rocec-txn %s has no verb %q", release, brief(args[0]))
	}
	args = args[1:]
	if len(args) < len(v.takes) || len(args) > len(v.takes) && !v.more {
		return refuse("gate", "the verb takes %d arguments, and got %d", len(v.takes), len(args))
	}
	for i, arg := range args {
		if takes := v.takes[min(i, len(v.takes)-1)]; !takes(arg) {
			return refuse("gate", "argument %d of the verb is not valid: %q", i+1, brief(arg))
		}
	}
	return v.do(g, args, errs)
}

// brief shortens a text for a message.
func brief(text string) string { return text[:min(len(text), 60)] }

// script runs one of the scripts with arguments and without stdin.
func (g *gate) script(text string, args []string, errs io.Writer) error {
	return g.run(text, args, nil, g.out, errs)
}

// runScript runs a script by sh, in an environment of its own. A nil stdin is empty.
func runScript(script string, args []string, stdin io.Reader, out, errs io.Writer) error {
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, "rocec"}, args...)...)
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "HOME=/root"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, out, errs
	return cmd.Run()
}

// order reads and verifies the order on stdin.
func (g *gate) order() (*verified, error) {
	data, err := io.ReadAll(io.LimitReader(g.in, order.MaxSize+1))
	if err != nil {
		return nil, err
	}
	e, err := order.Parse(data)
	if err != nil {
		return nil, refuse("unsigned", "%s", err)
	}
	return g.verify(e)
}
