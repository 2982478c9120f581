// Package sitefrom makes a site of the sources that a person names: a [Maker] reads files of devices and cabling files, and prints why no
// site can be made.
package sitefrom

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/intake"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/site"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/judge"
)

// Maker makes sites with the flags of every verb.
type Maker struct{ *globals.Globals }

// Audit judges the files of a network as one fabric; without sources those of the network that is built in.
func (m Maker) Audit(ctx context.Context, sources, cabling []string) (*report.Report, *site.Network, error) {
	read := &devicefiles.Found{Files: site.Demo(), Dir: site.DemoFolder}
	if len(sources) > 0 {
		var err error
		if read, err = devicefiles.Read(sources); err != nil {
			return nil, nil, err
		}
	}
	var source *intake.Origin
	if len(cabling) > 0 {
		found, err := intake.Look(cabling, nil, nil)
		if err != nil {
			return nil, nil, exit.Fail(exit.Usage, "--cabling: %v", err)
		}
		if source = found.Cables; source == nil || len(found.Devices) > 0 || found.Inventory != "" {
			return nil, nil, exit.Fail(exit.Usage, "--cabling is a cabling file, with sheets of the same inventory, and %s is another "+
				"kind of source",
				diag.And(cabling))
		}
	}
	beside, err := m.Cables(source, nil)
	if err != nil {
		return nil, nil, err
	}
	s, err := m.Site(ctx, read, site.Options{Given: beside})
	if err != nil {
		return nil, nil, err
	}
	f, network := s.Judge(read)
	if f.Sources = sources; len(sources) == 0 {
		f.Sources, network.Demo = []string{site.DemoFolder}, true
	}
	if source != nil {
		maps.Copy(f.Source.Files, source.Texts(f.Judged.Diags))
	}
	return f, network, nil
}

// Site makes a fabric of files. Where that cannot be, it prints why.
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
	return nil, exit.Fail(exit.Errors, "no fabric can be made of these files: %v", errors.New(ds[0].Summary))
}

// Cables reads the cables of a source that is named beside files of devices; nil: no source is.
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

// Print prints the findings about a draft. Files are those that the places are in, by name.
func (m Maker) Print(files map[string][]byte, ds diag.List) {
	if len(ds) > 0 {
		p := &diag.Printer{Files: files, Color: m.Paints(m.Stderr), Width: m.Width(m.Stderr), Most: 20}
		p.Print(m.Stderr, ds) //nolint:errcheck // a closed terminal has nobody to tell
	}
}
