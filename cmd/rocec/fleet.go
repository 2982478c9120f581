package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"

	"golang.org/x/term"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// fleet is the devices of a fabric, live or in the lab, and the way to them.
type fleet struct {
	tree *target.Tree
	dial target.Dial
	end  []func() error
}

// Close ends every connection, and the lab if there is one.
func (f *fleet) Close() {
	for _, end := range f.end {
		end() //nolint:errcheck // nothing depends on a connection that has served
	}
}

// open loads a fabric and prepares the way to its devices, those that --target names. Close the fleet after use.
func (a *app) open(dir string, only []string, useLab bool) (*report.Report, *fleet, error) {
	f, err := a.loadGood(dir)
	if err != nil {
		return nil, nil, err
	}
	tree, err := selectDevices(f.Tree(), only)
	if err != nil {
		return nil, nil, err
	}
	devices, err := a.connect(tree, useLab)
	return f, devices, err
}

// connect prepares the way to the devices of tree; nothing is dialled yet. With useLab they are simulated in the process.
func (a *app) connect(tree *target.Tree, useLab bool) (*fleet, error) {
	f := &fleet{tree: tree}
	cfg := ssh.Config{Passphrase: a.passphrase}
	if useLab {
		fleetLab, err := lab.Start(tree)
		if err != nil {
			return nil, fail(exitMachines, "the lab: %v", err)
		}
		f.end = append(f.end, fleetLab.Close)
		cfg = ssh.Config{Keys: [][]byte{fleetLab.Key()}}
		f.tree = &target.Tree{}
		for _, d := range tree.Devices {
			there := *d
			there.Login = fleetLab.Login(d.Name)
			f.tree.Devices = append(f.tree.Devices, &there)
		}
	} else {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fail(exitMachines, "the home directory, for ~/.ssh: %v", err)
		}
		cfg.Home, cfg.System, cfg.User, cfg.AgentSocket = home, "/etc/ssh", loginName(a.getenv), a.getenv("SSH_AUTH_SOCK")
	}
	dialer, err := ssh.New(cfg)
	if err != nil {
		f.Close()
		return nil, fail(exitMachines, "%v", err)
	}
	f.dial = dialer.Dial
	f.end = append([]func() error{dialer.Close}, f.end...)
	return f, nil
}

// loginName is who runs rocec.
func loginName(getenv func(string) string) string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return getenv("USER")
}

// passphrase asks for the passphrase of a key file, on a terminal only.
func (a *app) passphrase(_ context.Context, file string) ([]byte, error) {
	fd, ok := terminal(a.stdin)
	if !ok {
		return nil, fmt.Errorf("the key %s has a passphrase and there is no terminal to ask on; load it with ssh-add", file)
	}
	fmt.Fprintf(a.stderr, "passphrase of %s: ", target.Escape(filepath.Base(file)))
	defer fmt.Fprintln(a.stderr)
	return term.ReadPassword(fd)
}

// ask wants one word typed, and refuses to wait where nobody can type.
func (a *app) ask(question, word string) error {
	if _, ok := terminal(a.stdin); !ok {
		return fail(exitUsage, "stdin is no terminal, so nobody can be asked; to apply without asking use --auto-approve")
	}
	fmt.Fprintf(a.stderr, "%s Type %s to go on: ", question, word)
	line, err := bufio.NewReader(a.stdin).ReadString('\n')
	if answer := trimLine(line); err != nil || answer != word {
		return fail(exitInterrupted, "not applied; nothing was changed")
	}
	return nil
}

func trimLine(s string) string {
	for len(s) > 0 && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r' || s[len(s)-1] == ' ') {
		s = s[:len(s)-1]
	}
	return s
}

// reading is how devices are read, with progress; end it when they are.
func (a *app) reading() (o deploy.ObserveOptions, end func()) {
	bar := a.progress("Reading", false)
	o.Progress = func(done, total int, h *deploy.Have) {
		if h.Err != nil {
			a.log.Info("read", "device", h.Device.Name, "error", h.Err.Detail)
		} else {
			a.log.Info("read", "device", h.Device.Name)
		}
		bar.step(done, total, "")
	}
	return o, bar.end
}

// compare reads every device of the fleet and says what would change.
func (a *app) compare(ctx context.Context, f *fleet) *deploy.Plan {
	o, end := a.reading()
	defer end()
	return deploy.Diff(f.tree, deploy.Observe(ctx, f.dial, f.tree, o))
}
