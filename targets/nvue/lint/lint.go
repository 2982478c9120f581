// Package lint judges NVUE's startup.yaml, or what `nv config show` printed, by itself: without a fabric.
//
// In come the bytes of a file; out come diagnostics at its lines. What the table of paths does not settle is a warning at most; a tree of
// a release that nobody knows is not judged at all.
package lint

import (
	"fmt"

	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/target/lint"
)

// Judged reports whether rocec knows the paths of a release, as a header states it: "5.9.0".
func Judged(release string) (grammar.Release, bool) {
	r, ok := grammar.ParseRelease(release)
	newest := grammar.Release{grammar.Newest[0], grammar.Newest[1] + 1}
	return r, ok && r.Compare(grammar.First) >= 0 && r.Compare(newest) < 0
}

// Check judges a file of a release.
func Check(name string, data []byte, r grammar.Release) diag.List {
	cfg, err := grammar.Read(data)
	if err != nil {
		return unread(name, data, err)
	}
	j := newJudge(name, data, cfg, r)
	j.header()
	return j.whole()
}

// Applied judges the tree of a switch of a fabric, but for buffers that somebody has set: plan and verify say of these themselves what
// the fabric loses by them.
func Applied(name string, data []byte, r grammar.Release) diag.List {
	cfg, err := grammar.Read(data)
	if err != nil {
		return unread(name, data, err)
	}
	j := newJudge(name, data, cfg, r)
	j.fabric = true
	return j.whole()
}

// Unstated judges a file that states no release, and says by which one: the newest that has most of its paths and values.
func Unstated(name string, data []byte) (diag.List, grammar.Release) {
	cfg, err := grammar.Read(data)
	if err != nil {
		return unread(name, data, err), grammar.Newest
	}
	var best *judge
	for minor := grammar.Newest[1]; minor >= grammar.First[1]; minor-- {
		j := newJudge(name, data, cfg, grammar.Release{grammar.First[0], minor})
		j.tree()
		if best == nil || len(j.seen) < len(best.seen) {
			best = j
		}
	}
	as := best.release
	ds := newJudge(name, data, cfg, as).whole()
	for _, d := range ds {
		if d.Code == topicPath.Code || d.Code == topicValue.Code {
			d.Note(diag.Range{}, "The file states no release. It is judged as %d.%d, the newest that has most of its paths.", as[0], as[1])
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

// roots are what NVUE's tree has at its top; a tree with none of these is of something else.
var roots = []string{
	"acl", "bridge", "evpn", "ib", "interface", "maintenance", "mlag", "nve", "platform", "qos", "router", "service", "system", "vrf",
}

// Unjudged says why rules judge nothing of a configuration, or a part of it only, as a part of a sentence; empty: they judge all of it.
func Unjudged(cfg *grammar.Config) string {
	known := false
	for _, root := range roots {
		known = known || cfg.Set.Get(root) != nil
	}
	switch paths := grammar.QoSOf(cfg.Unset); {
	case len(paths) > 0:
		return "it unsets " + paths[0] + ", so it is a patch and no applied tree"
	case len(cfg.Set.Kids) == 0:
		return "it sets nothing"
	case !known:
		return "it sets no path of NVUE that rocec knows"
	}
	return ""
}

func newJudge(name string, data []byte, cfg *grammar.Config, r grammar.Release) *judge {
	j := &judge{
		name: name, data: data, g: grammar.For(r), release: r, set: cfg.Set, seen: map[string]bool{}, sizes: map[*grammar.Tree]bool{},
		mtus: map[string]map[*grammar.Tree]int{},
	}
	if m := cfg.Header.Get("model"); m.IsScalar() {
		j.model, _ = platform.FindSwitch(m.Value)
		j.modelAt = m.At
	}
	j.preset = grammar.PresetIsOn(j.set)
	j.bonds = grammar.Bonds(j.set)
	return j
}

// Empty reports that a file holds nothing.
func Empty(name string) *diag.Diagnostic {
	j := &judge{name: name, seen: map[string]bool{}}
	j.errorf(&topicTree, grammar.Place{}, "The file is empty, where NVUE writes at least a header: the copy was cut off, or the switch has "+
		"lost its configuration. Copy it again, or save the applied one there (nv config save).")
	return j.found.List[0]
}

// unread reports why a file cannot be read.
func unread(name string, data []byte, err error) diag.List {
	j := &judge{name: name, data: data, seen: map[string]bool{}}
	at := grammar.Place{}
	say := err.Error()
	if e, ok := err.(*grammar.Error); ok { //nolint:errorlint // it is returned as it is
		at, say = e.Place, e.Text
	}
	j.errorf(&topicTree, at, "The file cannot be read: %s. NVUE refuses it, or takes it in one of several ways.", say)
	return j.found.List
}

// whole judges everything.
func (j *judge) whole() diag.List {
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

// tree holds what stands below qos, and below qos of interfaces, to the table of the release.
func (j *judge) tree() {
	if t := j.set.Get("qos"); t != nil {
		j.paths(t, []string{"qos"})
	}
	interfaces := j.set.Get("interface")
	for _, i := range interfaces.Keys() {
		if t := interfaces.Get(i, "qos"); t != nil {
			j.paths(t, []string{"interface", i, "qos"})
		}
	}
}

type judge struct {
	name    string
	data    []byte
	lines   *grammar.Lines
	g       *grammar.Grammar
	release grammar.Release
	set     *grammar.Tree
	model   *platform.Switch // of the header; nil: none, or one that rocec does not know
	modelAt grammar.Place
	fabric  bool // the tree is that of a switch of a fabric
	preset  bool
	bonds   map[string]string
	found   lint.Findings
	seen    map[string]bool                  // what was said where
	sizes   map[*grammar.Tree]bool           // the profiles whose sizes were judged
	mtus    map[string]map[*grammar.Tree]int // the largest of the ports of each profile, by table
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

// say reports once for a place and a code: a range of ports stands in one line.
func (j *judge) say(t *diag.Topic, sev diag.Severity, at grammar.Place, text string) {
	key := fmt.Sprint(t.Code, at)
	if j.seen[key] {
		return
	}
	j.seen[key] = true
	if !j.found.Omit(t) {
		j.found.Report(sev, t, j.place(at), "%s", text)
	}
}

// place gives the word at a line and column.
func (j *judge) place(at grammar.Place) diag.Range {
	if j.lines == nil {
		j.lines = grammar.NewLines(j.name, j.data)
	}
	return j.lines.Range(at)
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

// qos reports whether a path is one of those rocec judges.
func qos(path []string) bool {
	return path[0] == "qos" || len(path) > 2 && path[0] == "interface" && path[2] == "qos"
}

// paths holds what stands below a path to the table of the release.
func (j *judge) paths(t *grammar.Tree, path []string) {
	row, known := j.g.At(path)
	name := diag.Escape(grammar.Spell(path))
	switch {
	case !known:
		j.unknown(t, path)
	case row != nil && row.Kind == grammar.Anything:
	case row != nil:
		if wrong := row.Wrong(t); wrong != "" {
			at := t.At
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

// unknown says which releases have a path that this one does not.
func (j *judge) unknown(t *grammar.Tree, path []string) {
	name, release := diag.Escape(grammar.Spell(path)), fmt.Sprintf("%d.%d", j.release[0], j.release[1])
	if rows := grammar.Elsewhere(path); len(rows) > 0 {
		row := rows[0]
		since := row.Since
		if since == (grammar.Release{}) {
			since = grammar.First
		}
		if j.release.Compare(since) < 0 {
			j.errorf(&topicPath, t.Key, "Cumulus Linux %s has no %s; it came with %d.%d. NVUE refuses a configuration with a path it does "+
				"not have.", release, name, since[0], since[1])
		} else {
			j.errorf(&topicPath, t.Key, "Cumulus Linux %s has no %s; it was renamed in %d.%d. NVUE refuses a configuration with a path it does "+
				"not have.", release, name, row.Before[0], row.Before[1])
		}
		return
	}
	j.warnf(&topicPath, t.Key, "No reference of Cumulus Linux %s that rocec knows has %s. If it is a slip, NVUE refuses the configuration.%s",
		release, name, diag.DidYouMean(path[len(path)-1], j.g.Beside(path)))
}
