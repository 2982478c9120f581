// Package site makes a fabric of the files of a network that runs: what they state of devices, settings and cables.
//
// The fabric is a draft as `rocec init` writes it ([start.Draft]), with the classes, releases and lengths that the files state. What no
// file states is a guess, and marked CHECK. Nothing is written here.
package site

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"testing/fstest"

	"github.com/rocec/rocec/cmd/internal/start"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
)

// sheetFile is the name of the sheet of cables in the folder of the fabric.
const sheetFile = "cables.csv"

// Folder is the folder of the fabric in places of findings: no disk has it.
const Folder = "draft"

// Site is a network by its files.
type Site struct {
	Survey  *targets.Survey
	Cables  *Sheet
	Drafted start.Drafted  // with the sheet
	Lengths map[string]int // metres of cables of which no file states a length, by "device:port"
	Judged  *judge.Judged  // of the draft
}

// Options is what a run takes from outside.
type Options struct {
	Most  int // of cables
	On    start.System
	Judge judge.Options
}

// Of makes the fabric of files. Diagnostics are those of a draft that cannot be: it has no cables, or none that rocec reads.
//
// A cable of which no file states the length is as long as the headroom of both ends allows: compiled at two lengths, a fabric shows what
// each metre adds. Thresholds of marking are left to rocec where it derives those that were read.
func Of(ctx context.Context, files []lint.File, o Options) (*Site, diag.List) {
	s := &Site{Survey: targets.SurveyFiles(files)}
	s.Cables = sheetOf(s.Survey)
	classes := classesOf(s.Survey)
	draft := func(length int, lengths map[string]int, derive bool) diag.List {
		text := s.Cables.Text(lengths)
		read, ds := topology.ReadAll("csv", sheetFile, text, topology.Options{Most: o.Most})
		if ds.HasErrors() {
			return start.Causes(ds)
		}
		read.Nodes = s.Cables.Nodes
		s.Drafted, ds = start.Draft(start.Cabling{
			Format: "csv", Name: sheetFile, Cabling: read, Classes: classes.drafted(derive), Guessed: s.Cables.Guessed, Length: length,
		}, targets.Known, o.On)
		if ds.HasErrors() {
			return ds
		}
		s.Drafted.Files = append(s.Drafted.Files, start.File{Name: sheetFile, Data: text})
		s.Judged = judge.Judge(ctx, s.FS(), Folder, o.Judge)
		return nil
	}
	if ds := draft(short, nil, true); ds != nil {
		return s, ds
	}
	near := s.Judged.Fabric
	derive := near != nil && marksAsRead(near, s.Survey)
	if ds := draft(long, nil, derive); ds != nil {
		return s, ds
	}
	if far := s.Judged.Fabric; near != nil && far != nil {
		s.Lengths = lengths(near, far, s.Survey)
	}
	return s, draft(0, s.Lengths, derive)
}

// FS is the folder of the drafted fabric.
func (s *Site) FS() fs.FS {
	fsys := fstest.MapFS{}
	for _, f := range s.Drafted.Files {
		fsys[path.Join(Folder, f.Name)] = &fstest.MapFile{Data: f.Data}
	}
	return fsys
}

// The two lengths by which headroom is measured, in metres.
const short, long = 1, 101

// readOf finds the settings of a port of the fabric.
func readOf(s *targets.Survey) func(p *ir.Port) *ir.PortSettings {
	by := map[string]*ir.Settings{}
	for _, d := range s.Devices {
		if d.OS != nil && d.Read != nil {
			by[topology.FoldDevice(d.Name)] = d.Read.Settings
		}
	}
	return func(p *ir.Port) *ir.PortSettings { return by[p.Device().Name].Port(p.Name) }
}

// lengths are those of cables without a stated one: the greatest for which the headroom that was read is enough at both ends, for all that
// rocec expects after a pause. Where it is too little for that, it is the greatest length of published tables for which what is sure to
// arrive has room. Cables without a port whose headroom is known in bytes are left out, and so are those that no length fits.
func lengths(near, far *ir.Fabric, s *targets.Survey) map[string]int {
	out := map[string]int{}
	read := readOf(s)
	for i, l := range near.Links {
		if l.Length.Metres != short || far.Links[i].Length.Metres != long {
			continue // a file states it
		}
		metres := longest(l, far.Links[i], read, func(b *ir.Buffer) int { return b.Need })
		if metres == 0 {
			metres = longest(l, far.Links[i], read, func(b *ir.Buffer) int { return b.Floor })
			fits := slices.IndexFunc(tabled, func(n int) bool { return n <= metres })
			if fits < 0 {
				continue
			}
			metres = tabled[fits]
		}
		out[l.A().String()] = metres
	}
	return out
}

// tabled are lengths of cables that sizes are published for.
var tabled = []int{300, 40, 5, 1}

// longest is the greatest length of a cable for which both ends have room for what is needed, from the needs at two lengths. 0: none is, or
// neither end was read. Sizes are whole cells, so a quarter of a metre is given.
func longest(near, far *ir.Link, read func(p *ir.Port) *ir.PortSettings, need func(b *ir.Buffer) int) int {
	best := 0
	q := [2]*ir.Port{far.A(), far.B()}
	for k, p := range []*ir.Port{near.A(), near.B()} {
		is := read(p)
		if is == nil || is.Headroom <= 0 || len(q[k].Buffers()) != len(p.Buffers()) {
			continue
		}
		for n, b := range p.Buffers() {
			least, more := need(b), need(q[k].Buffers()[n])-need(b)
			switch {
			case is.Headroom < least:
				return 0
			case more > 0:
				metres := short + ((is.Headroom-least)*(long-short)+more/4)/more
				if best == 0 || metres < best {
					best = metres
				}
			}
		}
	}
	return best
}

// marksAsRead reports whether rocec derives the thresholds that were read, for every queue that marks.
func marksAsRead(f *ir.Fabric, s *targets.Survey) bool {
	read := readOf(s)
	for _, d := range f.Devices {
		if d.Switch == nil {
			continue
		}
		for _, p := range d.Ports {
			is := read(p)
			if is == nil {
				continue
			}
			detail := is.Detail.Get()
			for _, m := range p.Marks() {
				q := detail.Queue[m.Group.Cos]
				if q < 0 || !detail.Queues[q].MarkMin.Known() || !detail.Queues[q].MarkMax.Known() {
					continue
				}
				if of := &detail.Queues[q]; of.MarkMin.Value != m.Min.N || of.MarkMax.Value != m.Max.N || of.Probability.Value != m.Probability.N {
					return false
				}
			}
		}
	}
	return true
}
