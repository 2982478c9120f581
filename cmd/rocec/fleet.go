package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// fleet is the devices of a fabric, live or in the lab, and the way to them.
type fleet struct {
	tree   *target.Tree
	beside []*target.Device // others of the fabric, next to those: they are read, and nothing is done to them
	found  *deploy.Observed // of both, as they were read last
	dial   target.Dial
	links  *rollout.Links
	read   readOptions
	look   bool // devices are also asked for what the fabric assumes of them

	dialer *ssh.Dialer
	lab    *lab.Lab // nil: the devices are real
	labDir string   // where the lab is kept; "new": nowhere; empty: the devices are real
}

// close ends every connection, and the lab if there is one. What a lab could not keep is the verb's error, unless it has
// another.
func (f *fleet) close(verb *error) {
	if f.links != nil {
		f.links.Close()
	}
	if f.dialer != nil {
		f.dialer.Close() //nolint:errcheck // nothing depends on a connection that has served
	}
	if f.lab == nil {
		return
	}
	if err := f.lab.Close(); err != nil && *verb == nil {
		*verb = exit.Fail(exit.Machines, "the lab could not be kept: %v", err)
	}
}

// open loads a fabric and prepares the way to its devices, those that --target names. Close the fleet after use.
func (a *app) open(dir string, only []string, which labFlag) (*report.Report, *fleet, error) {
	f, err := a.loadGood(dir)
	if err != nil {
		return nil, nil, err
	}
	tree, err := selectDevices(f.Tree(), only)
	if err != nil {
		return nil, nil, err
	}
	devices := &fleet{tree: tree, beside: besides(f.Tree(), tree)}
	if which != "" {
		if devices.labDir, err = which.folder(dir); err != nil {
			return nil, nil, err
		}
		devices.labDir = cmp.Or(devices.labDir, labFresh)
		if devices.lab, err = a.startLab(dir, f.Tree(), which); err != nil {
			return nil, nil, err
		}
	}
	return f, devices, a.connect(devices)
}

// besides are the devices of a whole tree that are cabled to some of its devices, and are none of them.
func besides(whole, some *target.Tree) []*target.Device {
	if len(some.Devices) == len(whole.Devices) {
		return nil
	}
	in, next := map[*ir.Device]bool{}, map[*ir.Device]bool{}
	for _, d := range some.Devices {
		in[d.Source] = true
	}
	for _, d := range some.Devices {
		for _, p := range d.Source.Ports {
			next[p.Peer().Device()] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(whole.Devices), func(d *target.Device) bool { return in[d.Source] || !next[d.Source] })
}

// openLab prepares the way to the devices of a run that was a rehearsal: its fabric says what they are.
func (a *app) openLab(l *journal.Log) (*fleet, error) {
	if l.Lab == labFresh {
		return nil, exit.Fail(exit.Usage, "run %s was a rehearsal on devices that were not kept (--lab=new), and they are gone with it", l.Run)
	}
	a.vars, a.varFiles = l.Vars, l.VarFiles
	_, f, err := a.open(l.Fabric, nil, labFlag(l.Lab))
	return f, err
}

// connect prepares the way to the devices of a fleet; nothing is dialled yet. Where it fails, the fleet is closed.
func (a *app) connect(f *fleet) (err error) {
	defer func() {
		if err != nil {
			f.close(&err)
		}
	}()
	cfg := ssh.Config{Passphrase: a.passphrase}
	if f.lab != nil {
		cfg = ssh.Config{Keys: [][]byte{f.lab.Key()}, Net: f.lab.Dial}
	} else {
		home := a.getenv("HOME")
		if home == "" {
			return exit.Fail(exit.Machines, "the home directory, for ~/.ssh: $HOME is not defined")
		}
		cfg.Home, cfg.System, cfg.User, cfg.AgentSocket = home, "/etc/ssh", loginName(a.getenv), a.getenv("SSH_AUTH_SOCK")
		cfg.OpenSSH, cfg.Environ = "ssh", os.Environ()
		if _, ok := terminal(a.stdin); ok {
			cfg.Terminal = a.stderr
		}
		cfg.Note = func(text string) { fmt.Fprintln(a.stderr, text) }
	}
	if f.dialer, err = ssh.New(cfg); err != nil {
		return exit.Fail(exit.Machines, "%v", err)
	}
	if err := a.askSudoPassword(f); err != nil {
		return err
	}
	f.dial = f.dialer.Dial
	if f.lab != nil {
		f.dial = func(ctx context.Context, d *target.Device) (target.Conn, error) {
			if _, err := f.lab.Find(d.Name); err != nil { // it has left the fabric
				return nil, err
			}
			there := *d
			there.Login = f.lab.Login(d.Name)
			return f.dialer.Dial(ctx, &there)
		}
	}
	return nil
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
func (a *app) ask(ctx context.Context, question, word string) error {
	return a.askTo(ctx, question, word, "apply", "not applied; nothing was changed")
}

// askTo is ask for something else than an apply; not is what the person reads who does not want it.
func (a *app) askTo(ctx context.Context, question, word, do, not string) error {
	if _, ok := terminal(a.stdin); !ok {
		return exit.Fail(exit.Usage, "stdin is not a terminal, so nobody can be asked; to %s without asking use --auto-approve", do)
	}
	fmt.Fprint(a.stderr, strings.Join(view.Fit(fmt.Sprintf("%s Type %s to go on: ", question, word), a.width(a.stderr)), "\n"))
	typed := make(chan string, 1)
	go func() { // a read from a terminal cannot be called off
		line, err := bufio.NewReader(a.stdin).ReadString('\n')
		if err != nil {
			line = ""
		}
		typed <- trimLine(line)
	}()
	select {
	case answer := <-typed:
		if answer == word {
			return nil
		}
	case <-ctx.Done():
		fmt.Fprintln(a.stderr)
	}
	return exit.Fail(exit.Interrupted, "%s", not)
}

func trimLine(s string) string {
	for len(s) > 0 && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r' || s[len(s)-1] == ' ') {
		s = s[:len(s)-1]
	}
	return s
}

// readOptions are the flags of verbs that only read devices; the zero value stands for their defaults.
type readOptions struct {
	parallel int
	timeout  time.Duration
}

// readFlags declares them.
func (o *readOptions) readFlags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&o.parallel, "parallel", rollout.ReadAtOnce, "devices read at the same time")
	cmd.Flags().DurationVar(&o.timeout, "timeout", time.Minute, "how long one device may take to be read, as a `duration`")
}

// limit sets the bounds of a read.
func (o *readOptions) limit(to *rollout.ObserveOptions) {
	to.Parallel, to.Timeout = o.parallel, o.timeout
}

func (o *readOptions) check() error {
	if o.parallel < 1 || o.timeout <= 0 {
		return exit.Fail(exit.Usage, "--parallel is at least 1, and --timeout more than 0, such as 30s")
	}
	return nil
}

// reading is how devices are read, with progress; end it when they are.
func (a *app) reading() (o rollout.ObserveOptions, end func()) {
	bar := a.progress("Reading", false)
	o.Sudo = a.sudo
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

// compareForChange is compare before a change: with samples, to tell later what the change took away, and it keeps the connections
// to the devices that change.
func (a *app) compareForChange(ctx context.Context, f *fleet) *deploy.Plan {
	o, end := a.reading()
	defer end()
	f.links = &rollout.Links{}
	o.Links, o.Probes, o.Look = f.links, rollout.Every, f.look
	plan := f.diff(ctx, o)
	f.links.CloseUnchanged(plan)
	return plan
}

// compare reads every device of the fleet and says what would change.
func (a *app) compare(ctx context.Context, f *fleet) *deploy.Plan {
	o, end := a.reading()
	defer end()
	f.read.limit(&o)
	o.Probes, o.Look = rollout.Switches, f.look
	return f.diff(ctx, o)
}

// diff reads the devices of the fleet, and those next to them.
func (f *fleet) diff(ctx context.Context, o rollout.ObserveOptions) *deploy.Plan {
	all := &target.Tree{Devices: slices.Concat(f.tree.Devices, f.beside)}
	f.found = rollout.Observe(ctx, f.dial, all, o)
	plan := deploy.Diff(f.found.Tree(), f.found)
	plan.Others()
	plan.Pending()
	n := len(f.tree.Devices)
	return &deploy.Plan{Devices: plan.Devices[:n], Beside: plan.Devices[n:]}
}
