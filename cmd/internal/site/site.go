// Package site derives a fabric, a [Site], from the files of a running network: from its devices, settings and cables.
//
// The fabric is a draft as `rocec init` writes it ([start.Draft]), with the classes, releases and lengths in the files. Values that no
// file states are guesses, marked CHECK. The package writes no files.
package site

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
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

// Folder is the folder of the fabric in places of findings. It does not exist on the disk.
const Folder = "draft"

// Site is a network, derived from its files.
type Site struct {
	Survey  *targets.Survey
	Cables  *Sheet
	Drafted start.Drafted  // with the sheet
	Lengths map[string]int // derived lengths of cables in metres, by "device:port"
	Tight   int            // of these, cables whose headroom is too small for all packets that may arrive
	Usual   int            // other cables without a stated length, which get 30 m
	classes *classes
	Judged  *judge.Judged // of the draft

	as       map[string]uint32 // AS numbers of all switches, if routing is known
	table    *hopTable         // table of next hops, if only tables show the routing; else nil
	unrouted string            // why routing is unknown although files have routes; else empty
	astray   diag.List         // loops in the table of next hops, which is then not used
}

// Options are the inputs of a run in addition to the files.
type Options struct {
	Most  int // of cables
	On    start.System
	Judge judge.Options

	Given *Given // a cabling file; nil: none
	Alone bool   // cables suffice, without the configuration of a switch
}

// Of derives the fabric from files. The diagnostics state why no draft is possible: there are no cables, or rocec cannot read them.
//
// A cable without a stated length gets the longest that the headroom of both ends allows. To find it, Of compiles the fabric at two
// lengths, which shows the headroom per metre. The draft leaves out thresholds of marking if rocec derives the thresholds in the files.
func Of(ctx context.Context, files []lint.File, o Options) (*Site, diag.List) {
	s := &Site{Survey: targets.SurveyFiles(files)}
	s.Cables = sheetWith(s.Survey, o.Given)
	s.classes = classesOf(s.Survey, s.Cables.cables)
	classes := s.classes.drafted
	if !s.Configured() {
		classes = func(bool) *start.Classes { return nil } // the files of the small fabric
	}
	draft := func(length int, lengths map[string]int, derive bool) diag.List {
		text := s.Cables.Text(lengths)
		read, ds := topology.ReadAll("csv", sheetFile, text, topology.Options{Most: o.Most})
		if ds.HasErrors() {
			return start.Causes(ds)
		}
		read.Nodes = s.Cables.Nodes
		s.Drafted, ds = start.Draft(start.Cabling{
			Format: "csv", Name: sheetFile, Cabling: read, Classes: classes(derive), Guessed: s.Cables.Guessed, Cards: s.Cables.cards,
			Length: length, AS: s.as, Table: fileOf(s.table),
		}, targets.Known, o.On)
		if ds.HasErrors() {
			return ds
		}
		s.Drafted.Files = append(s.Drafted.Files, start.File{Name: sheetFile, Data: text})
		if s.table != nil {
			s.Drafted.Files = append(s.Drafted.Files, start.File{Name: tableFile, Data: s.table.text})
		}
		s.Judged = judge.Judge(ctx, s.FS(), Folder, o.Judge)
		return nil
	}
	if !s.Configured() && o.Alone && len(s.Cables.cables) > 0 {
		return s, draft(0, nil, true)
	}
	if !s.Configured() {
		s.Cables.cables = nil
		var ds diag.List
		topicUnread.Errorf(&ds, diag.Range{}, "No file contains the configuration of a switch, so no class and no setting is known. Give the "+
			"files "+
			"that rocec validate --device-config can read.")
		return s, ds
	}
	if ds := draft(short, nil, true); ds != nil {
		return s, ds
	}
	near := s.Judged.Fabric
	if near != nil {
		route(s, near)
		if !weighsAsRead(near, s.Survey) {
			s.classes.unweigh()
		}
	}
	derive := near != nil && marksAsRead(near, s.Survey)
	if ds := draft(long, nil, derive); ds != nil {
		return s, ds
	}
	if s.table != nil && refused(s) {
		if ds := draft(long, nil, derive); ds != nil {
			return s, ds
		}
	}
	if far := s.Judged.Fabric; near != nil && far != nil {
		s.lengths(near, far)
	}
	return s, draft(0, s.Lengths, derive)
}

// route finds the routing of a fabric, from eBGP or else from the tables of next hops.
func route(s *Site, f *ir.Fabric) {
	if n := len(s.Cables.Dropped); n > 0 {
		s.unrouted = diag.Count(n, "port") + " of switches " + diag.Plural(n, "has a neighbour that is", "have neighbours that are") + " left out"
		return
	}
	if s.as, s.unrouted = routing(f, s.Survey); s.as != nil {
		return
	}
	var why string
	if s.table, why = tables(f, s.Survey); s.table != nil {
		s.unrouted = ""
		return
	}
	switch {
	case s.unrouted == "":
		s.unrouted = why
	case why != "":
		s.unrouted += "; " + why
	}
}

// fileOf returns the name of the file for a table of next hops; empty: the table is nil.
func fileOf(t *hopTable) string {
	if t == nil {
		return ""
	}
	return tableFile
}

// loopCode is the code of a loop in a table of next hops.
const loopCode = "routing-loop"

// refused drops a table of next hops that the compiler refuses, and reports whether it did. A loop in the table is a finding. The tables
// may have been read at different times, so no verdict uses them then.
func refused(s *Site) bool {
	for _, d := range s.Judged.Diags {
		if d.Severity != diag.Error || d.At.Filename != path.Join(Folder, tableFile) {
			continue
		}
		s.table, s.unrouted = nil, "the tables of next hops contradict each other: "+d.Summary
		if d.Code == loopCode {
			s.astray = append(s.astray, &diag.Diagnostic{
				Severity: d.Severity, Code: d.Code, Summary: d.Summary, At: routesAt(s.Survey), Detail: d.Detail,
			})
		}
	}
	return s.table == nil
}

// routesAt returns the place of the first answer with routes.
func routesAt(s *targets.Survey) diag.Range {
	for _, d := range s.Devices {
		for _, file := range d.Files {
			if d.OS != nil && targets.IsRouting(file) && !strings.HasSuffix(file, "addr.json") {
				return (&lint.File{Name: file}).Top()
			}
		}
	}
	return diag.Range{}
}

// Configured reports whether the configuration of a switch was read.
func (s *Site) Configured() bool { return len(switchesOf(s.Survey)) > 0 }

// Unread returns a line for each file that was not read.
func (s *Site) Unread() (lines []string) {
	for _, f := range s.Survey.Not {
		lines = append(lines, diag.Escape(fmt.Sprintf("%s is not read: %s", f.File, f.Why)))
	}
	return lines
}

// DeviceOf returns a function that finds the device of a file, and its group in the fabric.
func (s *Site) DeviceOf() func(file string) (device, group string) {
	names, groups := map[string]string{}, map[string]string{}
	for _, d := range s.Survey.Devices {
		for _, file := range d.Files {
			names[file] = topology.FoldDevice(d.Name)
		}
	}
	if s.Judged != nil && s.Judged.Fabric != nil {
		for _, d := range s.Judged.Fabric.Devices {
			groups[d.Name] = d.Group
		}
	}
	return func(file string) (device, group string) { return names[file], groups[names[file]] }
}

// Read returns the devices of the fabric whose settings were read.
func (s *Site) Read() map[*ir.Device]*targets.Surveyed {
	by := map[string]*targets.Surveyed{}
	for i := range s.Survey.Devices {
		if d := &s.Survey.Devices[i]; d.Read != nil {
			by[topology.FoldDevice(d.Name)] = d
		}
	}
	read := map[*ir.Device]*targets.Surveyed{}
	if s.Judged != nil && s.Judged.Fabric != nil {
		for _, d := range s.Judged.Fabric.Devices {
			if is := by[d.Name]; is != nil {
				read[d] = is
			}
		}
	}
	return read
}

// FilesOf returns a function that finds the files of a device of the fabric of a site.
func FilesOf(s *Site, files []lint.File) func(device string) []lint.File {
	device := s.DeviceOf()
	return func(name string) (of []lint.File) {
		for _, f := range files {
			if is, _ := device(f.Name); is == name {
				of = append(of, f)
			}
		}
		return of
	}
}

// FS returns the folder of the drafted fabric.
func (s *Site) FS() fs.FS {
	fsys := fstest.MapFS{}
	for _, f := range s.Drafted.Files {
		fsys[path.Join(Folder, f.Name)] = &fstest.MapFile{Data: f.Data}
	}
	return fsys
}

// The two lengths, in metres, at which headroom is computed.
const short, long = 1, 101

// topicUnread is about files that contain no configuration.
var topicUnread = diag.Topic{Code: "conf-not-judged", Summary: "no file contains the configuration of a switch"}

// readOf finds the settings of a port of the fabric.
func readOf(s *targets.Survey) func(p *ir.Port) *ir.PortSettings {
	by := switchesOf(s)
	return func(p *ir.Port) *ir.PortSettings { return by[p.Device().Name].Port(p.Name) }
}

// lengths derives the lengths of cables without a stated length. It takes the greatest length for which the headroom in the files
// suffices for all packets that rocec expects after a pause. If no length does, it takes the greatest length in published tables for
// which the headroom suffices for the packets that arrive in any case. Two ends on one system are sized for the same cable, so the longer
// of their lengths counts, and the end with less headroom is a finding. A cable keeps the usual length if no port has a known headroom in
// bytes, or no length fits.
func (s *Site) lengths(near, far *ir.Fabric) {
	s.Lengths = map[string]int{}
	read := readOf(s.Survey)
	for i, l := range near.Links {
		if l.Length.Metres != short || far.Links[i].Length.Metres != long {
			continue // a file states it
		}
		metres := longest(l, far.Links[i], read, func(b *ir.Buffer) int { return b.Need })
		if metres == 0 {
			metres = longest(l, far.Links[i], read, func(b *ir.Buffer) int { return b.Floor })
			fits := slices.IndexFunc(tabled, func(n int) bool { return n <= metres })
			if fits < 0 {
				s.Usual++
				continue
			}
			s.Tight++
			metres = tabled[fits]
		}
		s.Lengths[l.A().String()] = metres
	}
}

// Guessed reports whether no file states the length of a cable of the fabric.
func (s *Site) Guessed(l *ir.Link) bool {
	return s.Cables.Stated(l.A().Device().Name, l.A().Name)+s.Cables.Stated(l.B().Device().Name, l.B().Name) == 0
}

// tabled lists the lengths of cables for which sizes are published.
var tabled = []int{300, 40, 5, 1}

// longest returns the greatest length of a cable for which ports have room, from their needs at two lengths. 0: none fits, or neither end
// was read. Sizes are whole cells, so it allows a tolerance of a quarter of a metre.
func longest(near, far *ir.Link, read func(p *ir.Port) *ir.PortSettings, need func(b *ir.Buffer) int) int {
	var ends []int
	from := [2]*ir.Port{near.A(), near.B()}
	for k, q := range []*ir.Port{far.A(), far.B()} {
		if metres := fitting(from[k], q, read(from[k]), need); metres >= 0 {
			ends = append(ends, metres)
		}
	}
	if len(ends) == 0 {
		return 0
	}
	if a, b := from[0].Device().Switch, from[1].Device().Switch; a != nil && b != nil && a.OS == b.OS {
		return slices.Max(ends)
	}
	return slices.Min(ends)
}

// fitting returns the greatest length for which a port has room, from its needs at two lengths. -1: its headroom is unknown.
func fitting(near, far *ir.Port, is *ir.PortSettings, need func(b *ir.Buffer) int) int {
	if is == nil || is.Headroom <= 0 || len(near.Buffers()) == 0 || len(near.Buffers()) != len(far.Buffers()) {
		return -1
	}
	best := -1
	for n, b := range near.Buffers() {
		least, more := need(b), need(far.Buffers()[n])-need(b)
		switch {
		case is.Headroom < least:
			return 0
		case more > 0:
			metres := short + ((is.Headroom-least)*(long-short)+more/4)/more
			if best < 0 || metres < best {
				best = metres
			}
		}
	}
	return best
}

// weighsAsRead reports whether every port with files gives the groups of RoCE at least the share of the link that their weights state.
func weighsAsRead(f *ir.Fabric, s *targets.Survey) bool {
	read := readOf(s)
	deprived := func(d *ir.Device, wanted *ir.Settings) bool {
		return slices.ContainsFunc(d.Ports, func(p *ir.Port) bool {
			is, meant := read(p), wanted.Port(p.Name)
			return is != nil && meant != nil && slices.ContainsFunc(f.CosGroups, func(g *ir.CosGroup) bool {
				return g.Weight > 0 && meant.Strict>>g.Cos&1 == 0 && g.Deprived(f, is, meant)
			})
		})
	}
	var wishes ir.Wishes
	return !slices.ContainsFunc(f.Devices, func(d *ir.Device) bool { // a system may have one share for several cos, which is then smaller
		return d.Switch != nil && deprived(d, wishes.Of(d)) && deprived(d, targets.Meant(d))
	})
}

// marksAsRead reports whether rocec derives the thresholds in the files, for every queue that marks.
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
