// Package lint checks NVUE's startup.yaml, or the output of `nv config show`, without a fabric.
//
// The input is a file, the output diagnostics at its lines. A question that the table of paths leaves open gives a warning at
// most; a tree of an unknown release is not checked at all.
package lint

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/target/lint"
)

// Judged reports whether rocec knows the paths of a release, in the form of a header: "5.9.0".
func Judged(release string) (grammar.Release, bool) {
	r, ok := grammar.ParseRelease(release)
	newest := grammar.Release{grammar.Newest[0], grammar.Newest[1] + 1}
	return r, ok && r.Compare(grammar.First) >= 0 && r.Compare(newest) < 0
}

// Check checks a file of a release, in any form and around its slips.
func Check(name string, data []byte, r grammar.Release) diag.List {
	j := newJudge(name, data, r)
	j.header()
	return j.whole()
}

// Applied checks the tree of a switch in the fabric, except for buffers that others have set: plan and verify report those themselves.
func Applied(name string, data []byte, r grammar.Release) diag.List {
	j := newJudge(name, data, r)
	j.fabric = true
	return j.whole()
}

// Unstated checks a file that states no release, and returns the release used: the newest that has most of the file's paths and values.
func Unstated(name string, data []byte) (diag.List, grammar.Release) {
	best := newJudge(name, data, grammar.Newest)
	best.tree()
	for minor := grammar.Newest[1] - 1; minor >= grammar.First[1] && len(best.seen) > 0; minor-- {
		if j := best.by(grammar.Release{grammar.First[0], minor}); j.tree() < len(best.seen) {
			best = j
		}
	}
	as := best.release
	ds := best.by(as).whole()
	for _, d := range ds {
		if d.Code == topicPath.Code || d.Code == topicValue.Code {
			d.Note(diag.Range{}, "The file states no release. It is checked as %d.%d, the newest that has most of its paths.", as[0], as[1])
		}
	}
	return ds, as
}

// Plain reports whether a configuration has no RoCE: no preset, no pauses and no marks.
func Plain(cfg *grammar.Config) bool {
	if grammar.PresetIsOn(cfg.Set) {
		return false
	}
	roots := []*grammar.Tree{cfg.Set.Get("qos")}
	interfaces := cfg.Set.Get("interface")
	for _, name := range interfaces.Keys() {
		roots = append(roots, interfaces.Get(name, "qos"))
	}
	for _, of := range roots {
		for _, key := range []string{"pfc", "link-pause", "congestion-control"} {
			if of.Get(key) != nil {
				return false
			}
		}
	}
	return true
}

// newJudge reads a text. Values that a part lacks, or that an unreadable line may have set, are unknown: no rule assumes their default.
func newJudge(name string, data []byte, r grammar.Release) *judge {
	l := grammar.ReadLoosely(data, grammar.Any())
	if partOf(l) != "" || l.Lost {
		grammar.Open(l.Set)
	}
	j := &judge{Loose: l, set: l.Set, lines: grammar.NewLines(name, data)}
	if m := l.Header.Get("model"); m.IsScalar() {
		j.model, _ = platform.FindSwitch(m.Value)
		j.modelAt = m.At
	}
	j.unsure = grammar.UnsurePreset(j.set)
	j.preset = grammar.PresetIsOn(j.set) && !j.unsure
	j.bonds = grammar.Bonds(j.set)
	return j.by(r)
}

// by returns a judge of the same text by a release, without findings.
func (j *judge) by(r grammar.Release) *judge {
	c := *j
	c.g, c.release, c.found = grammar.For(r), r, lint.Findings{}
	c.seen, c.sizes, c.mtus = map[string]bool{}, map[*grammar.Tree]bool{}, map[string]map[*grammar.Tree]int{}
	return &c
}

// Empty reports that a file is empty.
func Empty(name string) *diag.Diagnostic {
	j := &judge{lines: grammar.NewLines(name, nil), seen: map[string]bool{}}
	j.errorf(&topicTree, grammar.Place{}, "The file is empty, but NVUE writes at least a header: the copy was truncated, or the switch has "+
		"lost its configuration. Copy it again, or save the applied one there (nv config save).")
	return j.found.List[0]
}

// slips reports unreadable parts, each at its place.
func slips(j *judge) {
	for _, slip := range j.Slips {
		switch {
		case slip.Foreign:
			j.warnf(&topicTree, slip.Place, "This line is not read: %s. The other lines are checked without it.", slip.Text)
		case j.Refused:
			j.errorf(&topicTree, slip.Place, "The file cannot be read: %s. NVUE refuses it, or reads it in one of several ways.", slip.Text)
		default:
			j.errorf(&topicTree, slip.Place, "This cannot be read: %s. NVUE refuses it, or reads it in one of several ways. The other lines are "+
				"checked.", slip.Text)
		}
	}
	for range j.More {
		j.found.Omit(&topicTree)
	}
}

// whole runs all checks.
func (j *judge) whole() diag.List {
	slips(j)
	if j.Refused {
		return j.found.Close()
	}
	j.words(j.set, nil)
	j.tree()
	j.ignored()
	j.ports()
	j.lossless()
	j.starved()
	j.thresholds()
	j.relative()
	j.pools()
	if !j.fabric {
		j.buffers()
	}
	j.shares()
	j.exceptions()
	return j.found.Close()
}

// tree checks paths below qos, and below qos of interfaces, by the table of the release. It returns the number of findings.
func (j *judge) tree() int {
	if t := j.set.Get("qos"); t != nil {
		j.paths(t, []string{"qos"})
	}
	interfaces := j.set.Get("interface")
	for _, i := range interfaces.Keys() {
		if t := interfaces.Get(i, "qos"); t != nil {
			j.paths(t, []string{"interface", i, "qos"})
		}
	}
	if j.Unset != nil {
		unsets(j, j.Unset, nil)
	}
	return len(j.seen)
}

// unsets checks the unset paths below qos by the table of the release. The last key may be a value.
func unsets(j *judge, t *grammar.Tree, path []string) {
	for _, k := range t.Keys() {
		kid, here := t.Kids[k], append(path, k)
		if row, known := j.g.At(here); !known && row == nil && qos(here) {
			j.unknown(kid, here)
			continue
		}
		unsets(j, kid, here)
	}
}

type judge struct {
	*grammar.Loose
	lines   *grammar.Lines
	g       *grammar.Grammar
	release grammar.Release
	set     *grammar.Tree
	model   *platform.Switch // from the header; nil: missing, or unknown to rocec
	modelAt grammar.Place
	fabric  bool // the tree is on a switch of the fabric
	preset  bool // the preset is on
	unsure  bool // it is unknown whether the preset is on
	bonds   map[string]string
	found   lint.Findings
	seen    map[string]bool                  // findings by place
	sizes   map[*grammar.Tree]bool           // the profiles whose sizes were checked
	mtus    map[string]map[*grammar.Tree]int // the largest MTU of the ports of each profile, by table
}

func (j *judge) errorf(t *diag.Topic, at grammar.Place, format string, args ...any) {
	j.say(t, diag.Error, at, fmt.Sprintf(format, args...))
}

func (j *judge) noticef(t *diag.Topic, at grammar.Place, format string, args ...any) {
	j.say(t, diag.Notice, at, fmt.Sprintf(format, args...))
}

func (j *judge) warnf(t *diag.Topic, at grammar.Place, format string, args ...any) {
	j.say(t, diag.Warning, at, fmt.Sprintf(format, args...))
}

// say reports at most one finding for a place and a code: a range of ports is one line.
func (j *judge) say(t *diag.Topic, sev diag.Severity, at grammar.Place, text string) {
	key := fmt.Sprint(t.Code, at)
	if j.seen[key] {
		return
	}
	j.seen[key] = true
	if !j.found.Omit(t) {
		j.found.Report(sev, t, j.lines.Range(at), "%s", text)
	}
}

// words reports keys below qos that YAML reads as numbers or booleans, where NVUE has text.
func (j *judge) words(t *grammar.Tree, path []string) {
	for _, k := range t.Keys() {
		kid := t.Kids[k]
		here := append(path, k)
		if kid.BareKey && qos(here) {
			j.warnf(&topicWord, kid.Key, "The key %s of %s has no quotes, so YAML does not read it as text. NVUE writes '%s'. Put it in quotes.",
				diag.Escape(k), diag.Escape(grammar.Spell(path)), diag.Escape(k))
		}
		j.words(kid, here)
	}
	for _, item := range t.Items {
		j.words(item, path)
	}
}

// qos reports whether rocec checks a path.
func qos(path []string) bool {
	return path[0] == "qos" || len(path) > 2 && path[0] == "interface" && path[2] == "qos"
}

// paths checks the tree below a path against the table of the release.
func (j *judge) paths(t *grammar.Tree, path []string) {
	row, known := j.g.At(path)
	name := diag.Escape(grammar.Spell(path))
	switch {
	case t.Bad:
	case !known:
		j.unknown(t, path)
	case row != nil && row.Kind == grammar.Anything:
	case row != nil:
		if wrong := row.Wrong(t); wrong != "" {
			at := t.At
			if t.IsMap() && len(t.Kids) == 0 && j.Commands {
				j.errorf(&topicValue, t.Key, "%s has no value in this line, and NVUE requires one (%s).", name, row.Source)
				return
			}
			if t.IsMap() {
				at = t.Key
			}
			j.errorf(&topicValue, at, "%s %s (%s).", name, wrong, row.Source)
		}
	case !t.IsMap():
		j.errorf(&topicValue, t.At, "%s is %s, where NVUE has a mapping.", name, diag.Escape(t.Shown()))
	default:
		for _, k := range t.Keys() {
			j.paths(t.Kids[k], append(path, k))
		}
	}
}

// meant returns the likely spelling of a path's last word, or the path with its last words in the right order; empty if it finds neither.
func meant(j *judge, t *grammar.Tree, path []string) string {
	last := len(path) - 1
	if is := grammar.Meant(path[last], j.g.Beside(path)); is != "" {
		return is
	}
	for _, next := range t.Keys() {
		swapped := append(slices.Clone(path[:last]), next, path[last])
		if _, known := j.g.At(swapped); known && slices.Contains(j.g.Beside(swapped[:last+1]), next) {
			return grammar.Spell(swapped)
		}
	}
	return ""
}

// unknown reports a path that the release lacks, and the releases that have it.
func (j *judge) unknown(t *grammar.Tree, path []string) {
	name, release := diag.Escape(grammar.Spell(path)), fmt.Sprintf("%d.%d", j.release[0], j.release[1])
	if rows := grammar.Elsewhere(path); len(rows) > 0 {
		row := rows[0]
		since := row.Since
		if since == (grammar.Release{}) {
			since = grammar.First
		}
		if j.release.Compare(since) < 0 {
			j.errorf(&topicPath, t.Key, "Cumulus Linux %s has no %s, which exists from %d.%d on. NVUE refuses a configuration with an "+
				"unknown path.", release, name, since[0], since[1])
		} else {
			j.errorf(&topicPath, t.Key, "Cumulus Linux %s has no %s, which was renamed in %d.%d. NVUE refuses a configuration with an "+
				"unknown path.", release, name, row.Before[0], row.Before[1])
		}
		return
	}
	j.warnf(&topicPath, t.Key, "No reference of Cumulus Linux %s that rocec knows has %s. If the path is a slip, NVUE refuses the "+
		"configuration.%s",
		release, name, diag.Meant(meant(j, t, path)))
}
