// Package confread reads the settings of a switch from the files of Cumulus Linux: traffic.conf, or qos_features.conf and qos_infra.conf,
// with datapath.conf. It reads all known files of a device together ([Conf]).
//
// A reader has two uses. [Conf.Understood] is strict: the fields of a row with a meaningless value are unknown. Values that depend on a
// missing file are also unknown. [Conf.Settings] serves the verbs that compare two states of one switch. It reads as much as possible from
// damaged rows, and assumes the factory's map of queues where qos_infra.conf is missing.
//
// The package contains no keys: it finds them in package grammar by meaning, and counts each row under the field that the table names for
// it.
package confread

import (
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// Chip contains the facts about the forwarding chip that a reader needs. The zero value is an unknown chip.
type Chip struct {
	Known    bool
	Spectrum bool // all lossless cos of a port share one priority group
	ECNDrops bool // marking also drops packets that ask for no marks
}

// Conf contains the parsed configuration files of one switch, and their meaning.
type Conf struct {
	id      target.Identity
	chip    Chip
	lenient bool

	rows     []setting
	fit      grammar.Dialects // the dialects of the classification file; 0: none was read
	spelling grammar.Spelling
	have     grammar.Values
	memory   grammar.Values // the values in qos_infra.conf or datapath.conf; nil: neither was read
	memoryOf grammar.Dialects
	slips    map[string]bool // keys with a meaningless value or of another release: their value is unknown

	queue                   [8]int8 // by cos; -1: not known
	lossy                   [8]int8 // by cos: its lossy priority group, as the lowest cos of the group; -1: not known
	groupOf                 [8]string
	spoiled                 map[grammar.Feature]bool // features whose groups of ports are not known
	rest                    *node
	ports                   map[string]*node
	visits                  int
	rewriteDSCP, rewritePCP ir.Setting[bool]
	kinds                   int
	target.Coverage
}

// Files reads the files of a switch, by path or name. It never fails.
func Files(id target.Identity, chip Chip, contents map[string][]byte) *Conf {
	return files(id, chip, contents, false)
}

// Lenient reads the classification file and qos_infra.conf for [Conf.Settings]. It returns nil where the classification file is missing or
// empty.
func Lenient(id target.Identity, chip Chip, contents map[string][]byte) *Conf {
	c := files(id, chip, contents, true)
	if c.fit == 0 {
		return nil
	}
	return c
}

func files(id target.Identity, chip Chip, contents map[string][]byte, lenient bool) *Conf {
	c := &Conf{
		id: id, chip: chip, lenient: lenient, have: grammar.Values{}, slips: map[string]bool{}, spoiled: map[grammar.Feature]bool{},
		ports: map[string]*node{},
	}
	rel, known := grammar.ParseRelease(id.Release)
	known = known && rel.Dialects() != 0
	classes, memory := c.choose(contents, rel, known)
	c.classes(classes, rel, known)
	c.memoryFile(memory, known, rel)
	c.judgeRows()
	c.read()
	return c
}

// choose picks the classification file and the memory file. It counts every other file as one that the release does not read.
func (c *Conf) choose(contents map[string][]byte, rel grammar.Release, known bool) (classes, memory *file) {
	var all []*file
	newer := known && rel.AtLeast(4, 4)
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		f := &file{File: lint.File{Name: name, Data: contents[name]}, kind: kindOf(name)}
		f.lines, f.err = grammar.Parse(f.Data)
		if f.kind == grammar.AnyFile {
			if fit := grammar.Fit(f.lines, grammar.AnyFile); fit != 0 {
				f.kind = grammar.OfFile(fileOf(fit))
			}
		}
		all = append(all, f)
		newer = newer || !known && f.kind&(grammar.QoSFeatures|grammar.QoSInfra) != 0 && f.kind != grammar.AnyFile
	}
	of := [2]grammar.Dialects{grammar.TrafficConf, grammar.Datapath}
	if newer {
		of = [2]grammar.Dialects{grammar.QoSFeatures, grammar.QoSInfra}
	}
	for _, f := range all {
		switch {
		case f.kind == of[0] && (classes == nil || classes.empty()):
			classes = f
		case f.kind == of[1] && (memory == nil || c.chip.Known && !c.chip.fits(memory) && c.chip.fits(f)):
			memory = f
		}
	}
	if !c.chip.Known && memory != nil && strings.Contains("/"+memory.Name, "/mlx/") {
		c.chip = Chip{Known: true, Spectrum: true} // only this family has the folder
	}
	for _, f := range all {
		f.idle = f != classes && f != memory && f.kind != grammar.AnyFile
		c.take(f)
	}
	return classes, memory
}

// fits reports whether a memory file is in a folder of the chip's family.
func (c Chip) fits(f *file) bool {
	family := "bcm"
	if c.Spectrum {
		family = "mlx"
	}
	return strings.Contains("/"+f.Name, "/"+family)
}

// kindOf returns the dialects that a file with a name can have. For a name that is not in [grammar.Files] it returns [grammar.AnyFile].
func kindOf(name string) grammar.Dialects {
	for _, base := range grammar.Files {
		if lint.Named(name, base) {
			return grammar.OfFile(base)
		}
	}
	return grammar.AnyFile
}

// fileOf returns the name of the first file that has one of the dialects.
func fileOf(fit grammar.Dialects) string {
	for _, base := range grammar.Files {
		if grammar.OfFile(base)&fit != 0 {
			return base
		}
	}
	return ""
}

// classes determines the spelling of the classification file, and reads its values.
func (c *Conf) classes(f *file, rel grammar.Release, known bool) {
	if f == nil || len(f.lines) == 0 {
		return
	}
	if known {
		doc, _ := grammar.Documented(rel)
		c.spelling = doc.Shown(f.lines)
		for bit := grammar.T0; bit <= grammar.D; bit <<= 1 {
			if c.spelling.Of(bit) {
				c.fit = bit
			}
		}
	} else {
		if c.fit = grammar.Fit(f.lines, f.kind); c.fit == 0 {
			return
		}
		c.spelling = c.fit.First().Shown(f.lines)
	}
	c.have = c.values(f, c.fit)
}

// memoryFile determines the dialect of the memory file, and reads its values.
func (c *Conf) memoryFile(f *file, known bool, rel grammar.Release) {
	if f == nil || len(f.lines) == 0 {
		return
	}
	c.memoryOf = f.kind
	if known {
		c.memoryOf &= rel.Dialects()
	} else if fit := grammar.Fit(f.lines, f.kind); fit != 0 {
		c.memoryOf = fit
	}
	c.memory = c.values(f, c.memoryOf)
}

// is reports whether all possible dialects of the classification file are among these.
func (c *Conf) is(in grammar.Dialects) bool { return c.fit != 0 && c.fit&^in == 0 }

// Settings returns the meaning of the files; nil: they name more ports than any switch has.
func (c *Conf) Settings() *ir.Settings {
	if c.visits > mostVisits {
		return nil
	}
	s := &ir.Settings{Pools: c.pools(), Moment: ir.Stored}
	if c.fit != 0 || c.memory != nil {
		s.System.OS = ir.Of(system)
	}
	if c.fit != 0 {
		s.System.Release = ir.Of(c.fit.Releases())
		c.settle(s)
	}
	return s
}

// system is the name of Cumulus Linux in a fabric.
const system = "cumulus"

// Understood returns the meaning of the files with its coverage and its places. It never fails.
func (c *Conf) Understood() *target.Understood {
	s := c.Settings()
	if s == nil {
		s = &ir.Settings{Moment: ir.Stored}
		c.Miss("", "the groups name more ports than a switch has", diag.Range{})
	}
	return &target.Understood{Settings: s, Coverage: c.Coverage, Where: c.Where}
}
