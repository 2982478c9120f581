package session

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"os"
	"slices"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// Fleet contains the devices of a fabric, live or in the lab, and the connections to them.
type Fleet struct {
	s      *Session
	Tree   *target.Tree
	beside []*target.Device // their neighbours in the fabric: they are read, and never changed
	found  *deploy.Observed // the devices of both, as they were read last
	Dial   target.Dial
	links  *rollout.Links
	Read   ReadOptions
	Look   bool // also read the facts that the fabric assumes about devices
	Adopt  bool // also write devices that differ only because rocec has changed

	Dialer *ssh.Dialer
	Lab    *lab.Lab // nil: the devices are real
	LabDir string   // folder of the lab; "new": not kept; empty: the devices are real
}

// NewFleet returns a fleet with the devices of a tree, without connections.
func (s *Session) NewFleet(tree *target.Tree) *Fleet { return &Fleet{s: s, Tree: tree} }

// Close ends every connection, and the lab if there is one. A failure of the lab becomes the error of the verb, unless the verb already
// has one.
func (f *Fleet) Close(verb *error) {
	if f.links != nil {
		f.links.Close()
	}
	if f.Dialer != nil {
		f.Dialer.Close() //nolint:errcheck // nothing depends on a connection that has served
	}
	if f.Lab == nil {
		return
	}
	if err := f.Lab.Close(); err != nil && *verb == nil {
		*verb = exit.Fail(exit.Machines, "the lab could not be kept: %v", err)
	}
}

// Open loads a fabric and prepares connections to its devices, or to those that --target names. Close the fleet after use.
func (s *Session) Open(dir string, only []string, which LabFlag) (*report.Report, *Fleet, error) {
	f, err := s.LoadGood(dir)
	if err != nil {
		return nil, nil, err
	}
	tree, err := SelectDevices(own(s, f.Tree()), only)
	if err != nil {
		return nil, nil, err
	}
	devices, err := fleetOf(s, dir, f, tree, which)
	return f, devices, err
}

// fleetOf prepares connections to the devices of a tree, which is a part of a fabric's.
func fleetOf(s *Session, dir string, f *report.Report, tree *target.Tree, which LabFlag) (devices *Fleet, err error) {
	devices = &Fleet{s: s, Tree: tree, beside: besides(own(s, f.Tree()), tree)}
	if which != "" {
		if devices.LabDir, err = which.Folder(dir); err != nil {
			return nil, err
		}
		devices.LabDir = cmp.Or(devices.LabDir, LabFresh)
		if devices.Lab, err = s.StartLab(dir, f.Tree(), which); err != nil {
			return nil, err
		}
	}
	return devices, devices.Connect()
}

// reaches reports whether the session may log in to a device. A device of a journal has no source: runs of a site have only its devices.
func reaches(s *Session, d *target.Device) bool {
	return s.OfSite == "" || d.Source == nil || d.Source.Site == s.OfSite
}

// own returns the devices of a tree to which the session may log in.
func own(s *Session, tree *target.Tree) *target.Tree {
	if s.OfSite == "" {
		return tree
	}
	out := slices.DeleteFunc(slices.Clone(tree.Devices), func(d *target.Device) bool { return !reaches(s, d) })
	return &target.Tree{Devices: out}
}

// besides returns the devices of a whole tree that are cabled to a device of a part, but are not in the part.
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

// openLab prepares connections to the devices of a rehearsal. It takes the devices from the fabric of the run.
func (s *Session) openLab(l *journal.Log) (*Fleet, error) {
	if l.Lab == LabFresh {
		return nil, exit.Fail(exit.Usage, "run %s was a rehearsal on devices that were not kept (--lab=new), so they no longer exist", l.Run)
	}
	s.Vars, s.VarFiles = l.Vars, l.VarFiles
	_, f, err := s.Open(l.Fabric, nil, LabFlag(l.Lab))
	return f, err
}

// Connect prepares connections to the devices of a fleet, without dialling. If it fails, the fleet is closed.
func (f *Fleet) Connect() (err error) {
	defer func() {
		if err != nil {
			f.Close(&err)
		}
	}()
	allowed, err := Rights(f.s, f.Lab != nil)
	if err != nil {
		return err
	}
	cfg := ssh.Config{Passphrase: f.s.Passphrase}
	limit(&cfg, allowed)
	permit := cfg.Permit
	if f.Lab != nil {
		cfg = ssh.Config{Keys: [][]byte{f.Lab.Key()}, Net: f.Lab.Dial}
	} else {
		home := f.s.Getenv("HOME")
		if home == "" {
			return exit.Fail(exit.Machines, "the home directory, for ~/.ssh: $HOME is not defined")
		}
		cfg.Home, cfg.System, cfg.User, cfg.AgentSocket = home, "/etc/ssh", LoginName(f.s.Getenv), f.s.Getenv("SSH_AUTH_SOCK")
		cfg.OpenSSH, cfg.Environ = "ssh", os.Environ()
		if _, ok := person.Terminal(f.s.Stdin); ok {
			cfg.Terminal = f.s.Stderr
		}
		cfg.Note = func(text string) { fmt.Fprintln(f.s.Stderr, text) }
	}
	cfg.MaxOutput = f.s.Output
	if f.Dialer, err = ssh.New(cfg); err != nil {
		return exit.Fail(exit.Machines, "%v", err)
	}
	if err := f.askSudoPassword(); err != nil {
		return err
	}
	dial := f.Dialer.Dial
	if f.Lab != nil {
		dial = func(ctx context.Context, d *target.Device) (target.Conn, error) {
			if _, err := f.Lab.Find(d.Name); err != nil { // the device has left the fabric
				return nil, err
			}
			if addr, err := netip.ParseAddr(d.Login.Address); err == nil && permit != nil { // as on the real device
				if err := permit(addr); err != nil {
					return nil, &target.LoginError{Err: fmt.Errorf("rocec does not log in to %s: %w", d.Name, err)}
				}
			}
			there := *d
			there.Login = f.Lab.Login(d.Name)
			return f.Dialer.Dial(ctx, &there)
		}
	}
	f.Dial = func(ctx context.Context, d *target.Device) (target.Conn, error) {
		if !reaches(f.s, d) {
			return nil, fmt.Errorf("the site %s does not log in to %s, a device of another site", f.s.OfSite, d.Name)
		}
		return dial(ctx, d)
	}
	return nil
}

// Rights returns the options of a read, with the ways to become root that the person has allowed.
func (f *Fleet) Rights() rollout.ObserveOptions { return rollout.ObserveOptions{Sudo: f.s.sudo} }

// CompareForChange is [Fleet.Compare] before a change. It also takes samples, with which the change is judged later, and keeps the
// connections to devices that change.
func (f *Fleet) CompareForChange(ctx context.Context) *deploy.Plan {
	o, end := f.s.Reading()
	defer end()
	f.links = &rollout.Links{}
	o.Links, o.Probes, o.Look = f.links, rollout.Every, f.Look
	plan := f.diff(ctx, o)
	f.links.CloseUnchanged(plan)
	return plan
}

// Compare reads every device of the fleet and returns the plan of changes.
func (f *Fleet) Compare(ctx context.Context) *deploy.Plan {
	o, end := f.s.Reading()
	defer end()
	f.Read.Limit(&o)
	o.Probes, o.Look = rollout.Switches, f.Look
	return f.diff(ctx, o)
}

// diff reads the devices of the fleet and their neighbours.
func (f *Fleet) diff(ctx context.Context, o rollout.ObserveOptions) *deploy.Plan {
	all := &target.Tree{Devices: slices.Concat(f.Tree.Devices, f.beside)}
	f.found = rollout.Observe(ctx, f.Dial, all, o)
	plan := deploy.Diff(f.found.Tree(), f.found)
	plan.Accept(f.s.clock.Now())
	plan.LeaveAccepted()
	if !f.Adopt {
		plan.LeaveDerived(f.s.Rocec.Tool)
	}
	plan.Others()
	plan.Pending()
	n := len(f.Tree.Devices)
	return &deploy.Plan{Devices: plan.Devices[:n], Beside: plan.Devices[n:], Over: plan.Over}
}

// LastLogins sets the logins of hosts from the last run that changed them, as far as a journal is trusted with them ([Session.logins]);
// other hosts are reached by name. It returns the hosts that runs have changed.
func (f *Fleet) LastLogins(dir string) map[string]bool {
	seen, last := map[string]bool{}, map[string]target.Login{}
	for _, l := range f.s.runsOf(dir, f.LabDir) {
		for i := range l.Devices {
			if d := &l.Devices[i]; badLogin(d.Name, d.Login) == "" {
				login := target.Login(d.Login)
				login.HostKey = ""
				last[d.Name] = login
			}
		}
	}
	for _, d := range f.Tree.Devices {
		if login, known := last[d.Name]; known {
			d.Login, seen[d.Name] = login, true
		}
	}
	return seen
}
