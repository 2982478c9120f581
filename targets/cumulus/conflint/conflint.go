// Package conflint judges the files of settings that lie on Cumulus Linux switches: traffic.conf of every release,
// qos_features.conf and qos_infra.conf, the memory pools of datapath.conf, and NVUE's startup.yaml ([lint]). It needs no description of
// a fabric.
//
// In come the bytes of files; out come diagnostics with the bytes at fault, and the dialect each file was taken for. A
// dialect is recognised by the keys a file sets ([grammar.Keys]), never guessed: a file no release would understand is an error
// of its own, and where several releases spell alike, what is said holds for all of them.
//
// What a file cannot tell is taken so that the verdict holds on every switch: the slowest plausible port where headroom
// is judged, the largest chip of the dialect where memory is. Where the manuals disagree, or are silent, the text says
// so, and it is a warning at most.
package conflint

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// File is one file: its name as the person wrote it, and its bytes, or why there are none.
type File struct {
	Name string
	Data []byte
	Why  string // a sentence; empty: the file could be read
}

// Lint is what there is to say about some files.
type Lint struct {
	Diagnostics diag.List // sorted
	Files       []Taken   // what each file was taken for
}

// Taken is what a file was taken for, and whether it was judged.
type Taken struct {
	Dialect string // "traffic.conf of Cumulus Linux 3.5 to 3.7"; empty: not recognised
	Why     string // why no rule has judged the file or a part of it, as a part of a sentence; empty: the rules have judged all of it
	Plain   bool   // the rules have judged it, and its switch has no RoCE configuration at all
}

// Reasons why files are not judged, and the dialect of one that is whole without a key to judge.
const (
	unread = "it cannot be read"
	empty  = "it is empty"
	noKey  = "no line of it sets a key that rocec knows"
	noKeys = "no key in it that rocec judges"
)

// Unjudged reports whether the finding says that a file is not judged, and nothing else.
func Unjudged(d *diag.Diagnostic) bool {
	return d.Code == topicNVUE.Code || d.Code == topicNotJudged.Code
}

// NotJudged reports that the rules have not judged a file or a part of it, where no other finding says so. Advice is a sentence.
func NotJudged(name, why, advice string) *diag.Diagnostic {
	var ds diag.List
	s := &source{File: File{Name: name}}
	return topicNotJudged.Warnf(&ds, s.top(), "%s is not judged: %s. %s", diag.Escape(name), diag.Escape(why), advice)
}

// Foreign is the code of a file that sets no key of any release, and Unlisted that of the keys of a group that is not in force.
const (
	Foreign  = "conf-dialect"
	Unlisted = "conf-group-unlisted"
)

// Check judges files. Those of one switch (of one folder, or of one folder that holds a tree with etc/ or usr/lib/) are
// judged together.
func Check(files []File) Lint {
	r := Lint{Files: make([]Taken, len(files))}
	devices := map[string][]int{}
	var order []string
	for i, f := range files {
		if IsNVUE(f) {
			r.nvue(i, f)
			continue
		}
		key := deviceOf(f.Name)
		if devices[key] == nil {
			order = append(order, key)
		}
		devices[key] = append(devices[key], i)
	}
	for _, key := range order { // one switch after another: a file taken apart is many times its size
		r.device(files, devices[key])
	}
	r.Diagnostics.Sort()
	r.Diagnostics = fold(r.Diagnostics)
	return r
}

// device judges the files of one switch.
func (r *Lint) device(files []File, of []int) {
	units := map[grammar.Dialects]*unit{}
	newer := slices.ContainsFunc(of, func(i int) bool { return dialectsOf(files[i].Name) == grammar.QoSFeatures })
	whole, plain := false, true // a file with the classes of the switch was judged, and none had a lossless or marked one
	judge := func(u *unit) {
		u.judge()
		r.take(u)
		whole = whole || u.has(grammar.QoSFeatures) || u.cand&grammar.TrafficConf != 0
		plain = plain && u.plain()
	}
	for _, i := range of {
		s := &source{File: files[i], kind: dialectsOf(files[i].Name)}
		alone := &unit{}
		s.read(alone)
		switch idle := s.idle(newer); {
		case !s.readable:
			r.Files[i].Why = unread
		case idle && (len(of) == 1 || len(bytes.TrimSpace(s.Data)) == 0):
			why := noKey
			if len(bytes.TrimSpace(s.Data)) == 0 {
				why = empty
			}
			r.Files[i].Why = why
			r.Diagnostics = append(r.Diagnostics, NotJudged(s.Name, why, "See that it is the right file, and that it came over whole."))
		case idle && s.kind == grammar.QoSInfra:
			s.cand = grammar.QoSInfra
		case idle:
			r.Files[i].Dialect = noKeys
		default:
			if s.recognise(alone); s.cand == 0 {
				r.Files[i].Why = noKey
				if slices.ContainsFunc(alone.diags, func(d *diag.Diagnostic) bool { return d.Code == topicMixed.Code }) {
					r.Files[i].Why = "its keys are of releases that do not go together"
				}
			}
		}
		if s.cand != 0 {
			r.Files[i].Dialect = s.cand.String()
		} else {
			r.take(alone)
			continue
		}
		together := family(s.cand)
		if u := units[together]; u != nil && u.has(s.kind) { // another tree of the same name
			judge(u)
			units[together] = nil
		}
		if units[together] == nil {
			units[together] = &unit{}
		}
		units[together].join(s, alone)
	}
	for _, together := range []grammar.Dialects{grammar.QoSFeatures, grammar.TrafficConf} {
		if u := units[together]; u != nil {
			judge(u)
		}
	}
	for _, i := range of {
		r.Files[i].Plain = whole && plain && r.Files[i].Why == ""
	}
}

// plain reports whether files pause nothing and mark nothing.
func (u *unit) plain() bool {
	return !slices.ContainsFunc(u.order, func(t *setting) bool {
		switch {
		case t.row == nil:
			return false
		case slices.Contains(grammar.DefaultMarking, t.feature()):
			return true
		case slices.Contains(grammar.Pausing, t.feature()) || slices.Contains(grammar.Marking, t.feature()):
			return t.row.Means != grammar.Groups || len(t.list) > 0 || !t.ok
		}
		return false
	})
}

// take adds what was found in some files.
func (r *Lint) take(u *unit) {
	u.finish()
	r.Diagnostics = append(r.Diagnostics, u.diags...)
}

// fold keeps the first of the notes that say the same of several files: a fleet is configured alike.
func fold(l diag.List) diag.List {
	first := map[string]*diag.Diagnostic{}
	alike := map[*diag.Diagnostic]int{}
	var out diag.List
	for _, d := range l {
		key := d.Code + " " + d.Detail
		if f := first[key]; d.Severity == diag.Notice && f != nil && f.At.Filename != d.At.Filename {
			alike[f]++
			continue
		}
		first[key] = d
		out = append(out, d)
	}
	for _, d := range out {
		if n := alike[d]; n > 0 {
			d.Note(diag.Range{}, "The same holds in %s.", diag.Count(n, "further file"))
		}
	}
	return out
}

// Names are the base names of the files conflint knows.
var Names = grammar.Files

// Known reports whether a file is one of [Names], or a copy named after its switch: leaf01-traffic.conf,
// leaf01_traffic.conf, leaf01.traffic.conf. NVUE's startup.yaml is known, too.
func Known(name string) bool {
	_, base := split(name)
	return base != "" || namedNVUE(name)
}

// split takes a file name apart: the switch it is named after, and its base name, empty when it is none of ours.
func split(name string) (owner, base string) {
	file := path.Base(name)
	for _, n := range Names {
		if rest, ok := strings.CutSuffix(file, n); ok && (rest == "" || strings.ContainsAny(rest[len(rest)-1:], "-_.")) {
			return rest, n
		}
	}
	return "", ""
}

// deviceOf names the switch a file belongs to: where its tree begins, and the name in front of the base name.
func deviceOf(name string) string {
	owner, _ := split(name)
	dir := "/" + path.Dir(strings.ReplaceAll(name, `\`, "/")) + "/"
	for _, inside := range []string{"/etc/cumulus/", "/etc/mlx/", "/etc/bcm.d/", "/usr/lib/"} {
		if before, _, ok := strings.Cut(dir, inside); ok {
			return before + "/ " + owner
		}
	}
	return dir + " " + owner
}

// unit is the files of one switch that are read together, and what they set.
type unit struct {
	sources  []*source
	set      map[string]*setting // the last of each key
	order    []*setting          // those, in the order of the files
	cand     grammar.Dialects    // of all files
	diags    diag.List
	meant    map[string]bool // keys with a slip in them, as they were to be
	count    map[string]int  // findings of each code
	left     map[string]int  // those of them that were left out
	last     map[string]*diag.Diagnostic
	lossless map[int]item // the cos of listed PFC groups, where first named
	memo     *mapping
	unread   *bool // a list of the map could not be read

	foreignValues int // DSCPs in a map of PCPs
}

func (u *unit) has(kind grammar.Dialects) bool {
	for _, s := range u.sources {
		if s.kind == kind {
			return true
		}
	}
	return false
}

func (u *unit) join(s *source, alone *unit) {
	if u.set == nil {
		u.set, u.meant = map[string]*setting{}, map[string]bool{}
		u.count, u.left, u.last = map[string]int{}, map[string]int{}, map[string]*diag.Diagnostic{}
	}
	u.sources = append(u.sources, s)
	u.cand |= s.cand
	u.diags = append(u.diags, alone.diags...)
	for code, n := range alone.count {
		u.count[code] += n
		u.left[code] += alone.left[code]
		u.last[code] = alone.last[code]
	}
	for _, m := range s.meant {
		u.meant[m.key] = true
	}
	for _, t := range s.settings {
		u.set[t.key] = t
	}
	for _, t := range s.settings {
		if u.set[t.key] == t {
			u.order = append(u.order, t)
		}
	}
}

// judge runs every check. Values come first: what could not be read is not judged again.
func (u *unit) judge() {
	for _, t := range u.order {
		u.parse(t)
	}
	u.lossless = u.losslessCos()
	u.checkGroups()
	u.checkPorts()
	u.checkPriorityGroups()
	u.checkMap()
	u.checkTrusts()
	u.checkSchedulers()
	u.checkRemark()
	u.checkLossless()
	u.checkSizes()
	u.checkMemory()
	u.checkMarking()
	u.checkQueues()
	u.checkBandwidth()
	u.checkShapers()
	u.checkPools()
	u.checkMemoryBeside()
	u.checkCutThrough()
	u.checkWatchdog()
}

// most is how many findings of one code a switch gets; further ones are counted.
const most = 100

func (u *unit) report(sev diag.Severity, t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	if u.count == nil {
		u.count, u.left, u.last = map[string]int{}, map[string]int{}, map[string]*diag.Diagnostic{}
	}
	if u.count[t.Code]++; u.count[t.Code] > most {
		u.left[t.Code]++
		return &diag.Diagnostic{}
	}
	say := map[diag.Severity]func(*diag.List, diag.Range, string, ...any) *diag.Diagnostic{
		diag.Error: t.Errorf, diag.Warning: t.Warnf, diag.Notice: t.Noticef,
	}[sev]
	d := say(&u.diags, at, format, args...)
	u.last[t.Code] = d
	return d
}

func (u *unit) errorf(t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	return u.report(diag.Error, t, at, format, args...)
}

func (u *unit) warnf(t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	return u.report(diag.Warning, t, at, format, args...)
}

func (u *unit) noticef(t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	return u.report(diag.Notice, t, at, format, args...)
}

// finish says what was counted only.
func (u *unit) finish() {
	for code, n := range u.left {
		if n > 0 {
			u.last[code].Note(diag.Range{}, "%s more of this code %s left out.", diag.Number(n), diag.Plural(n, "was", "were"))
		}
	}
}
