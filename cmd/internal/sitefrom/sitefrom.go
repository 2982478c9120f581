// Package sitefrom makes a site from the sources that a person names: a [Maker] reads files of devices and cabling files, and prints why
// no site can be made.
package sitefrom

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/intake"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/site"
	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/walk"
)

// Maker makes sites with the flags of every verb.
type Maker struct{ *globals.Globals }

// Network is a network that a fabric describes, or that is derived from its files.
type Network struct {
	*report.Report
	Part    *site.Network                   // the part that was read; nil: a fabric describes the network
	Set     walk.Settings                   // from the files, and otherwise from the fabric
	FilesOf func(device string) []lint.File // files by the name of a device in the fabric; nil: none
	audit   string                          // the command that shows the findings of --from
	read    map[*ir.Device]*targets.Surveyed
	judge   targets.PortJudge
}

// Assumed returns the assumptions about a network that is derived from files, one sentence each.
func (n *Network) Assumed() []string {
	if n.Part == nil {
		return nil
	}
	return append(n.Part.Conditions[:len(n.Part.Conditions):len(n.Part.Conditions)],
		fmt.Sprintf("places in %s/ are in the fabric that is derived from these files; rocec init --from writes it", site.Folder))
}

// Read returns the values in the files of a device, or of one of its ports, that differ from the fabric.
func (n *Network) Read(d *ir.Device, port string) facts.Section {
	r, why := targets.ReadDevice(d, n.FilesOf(d.Name))
	if why == "" {
		return facts.Read(r, port)
	}
	s := facts.Section{Title: "read"}
	s.Add("nothing", diag.Escape(why))
	return s
}

// Judge judges a port by the files of its device; see [targets.PortJudge].
func (n *Network) Judge(p *ir.Port, at targets.Passing) diag.List {
	d := n.device(p.Device())
	if d == nil {
		return nil
	}
	return n.judge.Judge(p, d.Read, d.Top, at)
}

// device returns a device that was read, with the places of its values; nil: it was not read.
func (n *Network) device(d *ir.Device) *targets.Surveyed {
	is := n.read[d]
	if is == nil || is.Read.Where != nil {
		return is
	}
	of := *is
	if r, why := targets.ReadDevice(d, n.FilesOf(d.Name)); why == "" {
		of.Read = r.Understood
	} else {
		read := *is.Read
		read.Where = func(string, ir.Field, int) (at diag.Range, ok bool) { return at, false }
		of.Read = &read
	}
	n.read[d] = &of
	return &of
}

// Place returns the place of a value of a port, or else the beginning of the first file of its device.
func (n *Network) Place(p *ir.Port, f ir.Field, index int) diag.Range {
	d := n.device(p.Device())
	if d == nil {
		return p.At
	}
	if at, ok := d.Read.Where(p.Name, f, index); ok && at.Filename != "" {
		return at
	}
	return d.Top
}

// Errors returns the errors in the files of a device that Judge returns for none of its ports.
func (n *Network) Errors(d *ir.Device) (errors diag.List) {
	is := n.device(d)
	if is == nil {
		return nil
	}
	ports := n.judge.All(d, is.Read, is.Top)
	for _, x := range n.Diags {
		same := func(p *diag.Diagnostic) bool { return p.Code == x.Code && p.At == x.At }
		if name, _ := n.DeviceOf(x.At.Filename); x.Severity == diag.Error && name == d.Name && !slices.ContainsFunc(ports, same) {
			errors.Add(x)
		}
	}
	return errors
}

// Audit judges the files of a network as one fabric. Without sources it judges the built-in network.
func (m Maker) Audit(ctx context.Context, sources, cabling []string) (*Network, error) {
	if len(sources) == 0 {
		n, err := m.network(ctx, &devicefiles.Found{Files: site.Demo(), Dir: site.DemoFolder}, nil, []string{site.DemoFolder})
		if err == nil {
			n.Part.Demo = true
		}
		return n, err
	}
	read, err := devicefiles.Read(sources)
	if err != nil {
		return nil, err
	}
	if len(cabling) == 0 {
		return m.network(ctx, read, nil, sources)
	}
	found, err := intake.Look(cabling, nil, nil)
	if err != nil {
		return nil, exit.Fail(exit.Usage, "--cabling: %v", err)
	}
	if found.Cables == nil || len(found.Devices) > 0 || found.Inventory != "" {
		return nil, exit.Fail(exit.Usage, "--cabling needs a cabling file, with or without sheets of the same inventory; %s is another kind "+
			"of source",
			diag.And(cabling))
	}
	return m.network(ctx, read, found.Cables, sources)
}

// Load judges the fabric of a folder, or the network of the sources that --from names: files of devices, and optionally a cabling file.
// If there is no fabric, it prints why.
func (m Maker) Load(ctx context.Context, dir string, from []string) (n *Network, err error) {
	if len(from) > 0 {
		n, err = m.read(ctx, from)
	} else {
		n = &Network{}
		n.Report, err = m.Globals.Load(dir)
	}
	if err != nil {
		return nil, err
	}
	if n.Fabric == nil {
		m.PrintDiagnostics(m.Stderr, n.Report)
		return nil, exit.With(exit.Errors)
	}
	m.MentionErrors(n.Report, cmp.Or(n.audit, diag.Rocec("validate")))
	return n, nil
}

// read judges the network of the sources that --from names.
func (m Maker) read(ctx context.Context, from []string) (*Network, error) {
	found, err := intake.Look(from, nil, nil)
	switch {
	case err != nil:
		return nil, exit.Fail(exit.Usage, "--from: %v", err)
	case len(found.Devices) == 0 || found.Inventory != "":
		return nil, exit.Fail(exit.Usage, "--from needs files of devices, with at most one cabling file; %s has no settings of devices",
			diag.And(from))
	}
	read, err := devicefiles.Read(found.Devices)
	if err != nil {
		return nil, exit.Fail(exit.Usage, "--from: %v", err)
	}
	n, err := m.network(ctx, read, found.Cables, found.Devices)
	if err != nil {
		return nil, err
	}
	var words []diag.Word
	if found.Cables != nil {
		words = append(words, diag.Flag("--cabling", diag.Path("FILE", found.Cables.Cables.Shown)))
	}
	for _, name := range found.Devices {
		words = append(words, diag.Path("SOURCE", name))
	}
	n.audit = diag.Rocec("audit", words...)
	return n, nil
}

// network judges files of devices, with the cables of a source; nil: no such source.
func (m Maker) network(ctx context.Context, read *devicefiles.Found, source *intake.Origin, sources []string) (*Network, error) {
	beside, err := m.Cables(source, nil)
	if err != nil {
		return nil, err
	}
	s, err := m.Site(ctx, read, site.Options{Given: beside})
	if err != nil {
		return nil, err
	}
	n := &Network{FilesOf: site.FilesOf(s, read.Files)}
	n.Report, n.Part = s.Judge(read)
	n.read = s.Read()
	if f := s.Judged.Fabric; f != nil {
		settings := func(d *ir.Device) (*ir.Settings, string) {
			if is := n.read[d]; is != nil {
				return is.Read.Settings, is.Read.Coverage.Doubt()
			}
			return nil, ""
		}
		readers := devicefiles.Readers{Forwarding: targets.ReadForwarding, Settings: settings, Counters: targets.ReadCounters}
		seen := read.Seen(f, n.FilesOf, readers)
		n.Claims = claimed.Compare(f, n.Proofs, seen, m.Steps())
		n.Diags = append(n.Diags, n.Claims.Findings...)
		site.Sort(n.Report)
	}
	n.Sources = sources
	n.Set.Read = map[*ir.Device]*ir.Settings{}
	for d, is := range n.read {
		n.Set.Read[d] = is.Read.Settings
	}
	if source != nil {
		maps.Copy(n.Source.Files, source.Texts(n.Judged.Diags))
	}
	return n, nil
}

// Site derives a fabric from files. If it cannot, it prints why.
func (m Maker) Site(ctx context.Context, read *devicefiles.Found, o site.Options) (*site.Site, error) {
	o.Most, o.Judge = m.MaxObjects, judge.Options{Budget: m.Steps()}
	s, ds := site.Of(ctx, read.Files, o)
	if !ds.HasErrors() {
		return s, nil
	}
	for _, unread := range s.Unread() {
		fmt.Fprintln(m.Stderr, unread)
	}
	if len(s.Cables.Nodes) > 0 && s.Cables.Ends == [3]int{} {
		return nil, exit.Fail(exit.Errors, "no file names a neighbour, so no cable is known. Save `lldpctl -f json` of each switch as "+
			"DEVICE/lldp.json beside its configuration")
	}
	m.Print(nil, ds)
	return nil, exit.Fail(exit.Errors, "no fabric can be derived from these files: %v", errors.New(ds[0].Summary))
}

// Cables reads the cables of a source that is named together with files of devices; nil: no source.
func (m Maker) Cables(source *intake.Origin, columns map[string]string) (*site.Given, error) {
	if source == nil {
		return nil, nil
	}
	read, ds := source.Read(columns, m.MaxObjects)
	m.Print(source.Texts(ds), ds)
	if ds.HasErrors() {
		return nil, exit.Fail(exit.Errors, "the cables are not read; fix %s first", source.Cables.Shown)
	}
	return &site.Given{Name: source.Cables.Shown, Cabling: read}, nil
}

// Print prints the findings about a draft. files contains the files of their places, by name.
func (m Maker) Print(files map[string][]byte, ds diag.List) {
	if len(ds) > 0 {
		p := &diag.Printer{Files: files, Color: m.Paints(m.Stderr), Width: m.Width(m.Stderr), Most: 20}
		p.Print(m.Stderr, ds) //nolint:errcheck // a closed terminal shows no error
	}
}
