package collect

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// Options are the choices of a person.
type Options struct {
	session.ReadOptions
	Out  string // the archive or folder to save to; empty: nothing is saved
	Mask bool
	List bool // print the inventory
	Dry  bool // ask no device
	Lab  session.LabFlag
	Only []string // the devices of a fabric to ask; empty: all

	Now func() time.Time
}

// Check refuses options that do not fit together.
func (o *Options) Check() error {
	switch {
	case o.Out == "" && !o.List && !o.Dry:
		return exit.Fail(exit.Usage, "name the snapshot: -o site.tar.gz, or -o FOLDER")
	case o.Mask && o.Out == "":
		return exit.Fail(exit.Usage, "--mask needs a snapshot: add -o")
	}
	return o.ReadOptions.Check()
}

// saves reports whether answers are saved as they arrive. A masked snapshot is saved at the end, since it needs all names.
func (o *Options) saves() bool { return o.Out != "" && !o.Mask && !o.Dry }

// Run reads the sources that a person names, and saves the snapshot.
func Run(ctx context.Context, s *session.Session, names []string, o Options) (err error) {
	from, err := SourcesOf(names)
	if err != nil {
		return err
	}
	c, err := begin(o)
	if err != nil {
		return err
	}
	c.Manifest.Tool, c.Manifest.By = s.Rocec.Tool, session.LoginName(s.Getenv)+"@"+session.HostName()
	for _, found := range from.Files {
		c.Add(found)
	}
	for _, line := range from.Notes {
		fmt.Fprintln(s.Stderr, line)
	}
	for _, line := range c.NotKept {
		fmt.Fprintln(s.Stderr, "not kept: "+line)
	}
	if len(from.Fabrics)+len(from.Named) == 0 {
		if o.Dry {
			fmt.Fprintln(s.Stdout, "no device would be asked")
			return nil
		}
		return c.end(s, o)
	}
	s.Output = mostOutput
	fleet, err := fleetOf(s, from, o)
	if err != nil {
		return err
	}
	defer fleet.Close(&err)
	if o.Dry {
		c.wouldAsk(s, fleet)
		return nil
	}
	if err := c.ask(ctx, s, fleet, len(from.Named) > 0, o); err != nil {
		return err
	}
	return c.end(s, o)
}

// mostOutput bounds the bytes of all answers of one device: four of routes with at most 8 MiB each, two configurations of 4 MiB, and the
// rest.
const mostOutput = 44 << 20

// begin returns the collection to continue.
func begin(o Options) (*Collection, error) {
	if o.saves() {
		c, err := Resume(o.Out)
		if err != nil {
			return nil, exit.Fail(exit.Usage, "%s", diag.Escape(err.Error()))
		}
		return c, nil
	}
	if _, err := os.Lstat(o.Out); err == nil && !o.Dry {
		return nil, exit.Fail(exit.Usage, "%s already exists, and nothing is overwritten", o.Out)
	}
	return &Collection{}, nil
}

// fleetOf returns the devices to ask: devices of a fabric, and named devices.
func fleetOf(s *session.Session, from *Sources, o Options) (*session.Fleet, error) {
	switch {
	case o.Lab != "" && (len(from.Fabrics) != 1 || len(from.Named) > 0):
		return nil, exit.Fail(exit.Usage, "--lab simulates the devices of one fabric: name its folder, and no other device")
	case len(from.Fabrics) > 1:
		return nil, exit.Fail(exit.Usage, "name one fabric: two may have devices of the same name")
	case len(from.Fabrics) == 1:
		_, fleet, err := s.Open(from.Fabrics[0], o.Only, o.Lab)
		if err == nil {
			fleet.Tree = &target.Tree{Devices: slices.Concat(fleet.Tree.Devices, from.Named)}
		}
		return fleet, err
	}
	fleet := s.NewFleet(&target.Tree{Devices: from.Named})
	return fleet, fleet.Connect()
}

// wouldAsk prints the devices that collect would ask.
func (c *Collection) wouldAsk(s *session.Session, fleet *session.Fleet) {
	for _, d := range fleet.Tree.Devices {
		line := "ask " + d.Name
		switch at := d.Login.Address; {
		case d.Login.Port != 0:
			line += " at " + net.JoinHostPort(cmp.Or(at, d.Name), strconv.Itoa(d.Login.Port))
		case at != "" && at != d.Name:
			line += " at " + at
		}
		if d.Login.User != "" {
			line += " as " + d.Login.User
		}
		fmt.Fprintln(s.Stdout, diag.Escape(line))
	}
	fmt.Fprintln(s.Stdout, "Each is asked the questions of rocec collect --print-commands. Commands and files that a device lacks are left "+
		"out.")
}

// ask asks the devices that have not answered yet.
func (c *Collection) ask(ctx context.Context, s *session.Session, fleet *session.Fleet, guarded bool, o Options) error {
	todo := slices.DeleteFunc(slices.Clone(fleet.Tree.Devices), func(d *target.Device) bool { return c.Has(d.Name) })
	if had := len(fleet.Tree.Devices) - len(todo); had > 0 {
		s.Say("%s of %s %s in %s already, and %s not asked again. Save to another file to ask anew.", diag.Number(had),
			diag.Count(len(fleet.Tree.Devices), "device"), diag.Plural(had, "is", "are"), o.Out, diag.Plural(had, "is", "are"))
	}
	bar := s.Progress("Asking", false)
	asking := Asking{
		Dial: fleet.Dial, Read: fleet.Rights(), Guarded: guarded, Now: o.Now, Progress: bar.Step,
		Save: func() error { return nil },
	}
	if o.saves() {
		asking.Save = func() error {
			if c.Empty() {
				return nil
			}
			return c.Save(o.Out)
		}
	}
	o.Limit(&asking.Read)
	err := c.Ask(ctx, todo, asking)
	bar.End()
	switch {
	case err != nil:
		return exit.Fail(exit.Machines, "%v", err)
	case ctx.Err() != nil && o.saves() && !c.Empty():
		return exit.Fail(exit.Interrupted, "interrupted; %s has the devices that have answered, and the same command goes on", o.Out)
	case ctx.Err() != nil:
		return exit.Fail(exit.Interrupted, "interrupted; nothing was saved")
	}
	return nil
}

// end saves the collection, and prints its content and its gaps.
func (c *Collection) end(s *session.Session, o Options) error {
	if c.Empty() && len(c.Manifest.Devices) == 0 {
		return exit.Fail(exit.Errors, "nothing was collected: the sources have no file of a known kind")
	}
	if !c.Empty() {
		if err := c.write(o); err != nil {
			return exit.Fail(exit.Machines, "%v", err)
		}
	}
	if o.List {
		fmt.Fprint(s.Stdout, c.Inventory())
	}
	devices, answers := c.Failed()
	for _, line := range slices.Concat(answers, devices) {
		fmt.Fprintln(s.Stderr, line)
	}
	switch {
	case c.Empty():
		return exit.Fail(exit.Machines, "no device has answered, and nothing is saved")
	case o.Out != "" && !s.Quiet:
		if unset := unset(c); len(unset) > 0 {
			fmt.Fprintf(s.Stderr, "the files of %s contain no configuration: audit cannot know how %s set\n",
				diag.Escape(nodeset.Text(unset, nodeset.Devices, namesRoom)), diag.Plural(len(unset), "it is", "they are"))
		}
		fmt.Fprintf(s.Stderr, "%s in %s\n", c.Summary(), o.Out)
		if n := unasked(c); n > 0 && o.saves() {
			fmt.Fprintf(s.Stderr, "next: the same command asks %s again\n", diag.Count(n, "device"))
		}
		fmt.Fprintf(s.Stderr, "next: %s\n", diag.Rocec("audit", diag.Path("SOURCE", o.Out)))
	}
	if len(devices) > 0 {
		return exit.With(exit.Machines)
	}
	return nil
}

// namesRoom is the maximum length of the names of devices in a sentence.
const namesRoom = 60

// unasked counts the devices that could not be asked.
func unasked(c *Collection) (n int) {
	for _, d := range c.Manifest.Devices {
		if d.Failed != "" {
			n++
		}
	}
	return n
}

// write writes the snapshot, or the masked one with its map.
func (c *Collection) write(o Options) error {
	switch {
	case o.saves():
		return c.Save(o.Out)
	case o.Out == "":
		return nil
	}
	masked, words := c.Mask()
	if err := wholefile.Replace(o.Out+".map", []byte(words), 0o600); err != nil {
		return err
	}
	return masked.Save(o.Out)
}
