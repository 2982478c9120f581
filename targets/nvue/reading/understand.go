package reading

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/target"
)

// Understand reads the configuration of one switch, in every form: startup.yaml, the output of `nv config show` as YAML, JSON or
// commands, a patch, and a script of nv set lines. contents has the texts by their names. Understand never fails: a slip makes only its
// line or its node unreadable.
//
// The moment of a text follows from its name: startup.yaml is stored; applied, running and `config show` are running. If texts have
// several moments, the running one is read. A script or a patch is a part: missing values are unknown, except for the defaults of the
// preset and of the profiles in the part. Defaults of a release before 5.4 are unknown.
func Understand(id target.Identity, contents map[string][]byte) *target.Understood {
	u := &understanding{id: id}
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		t := text{name: name, Loose: grammar.ReadLoosely(contents[name], grammar.Any()), data: contents[name]}
		t.moment = momentOf(name, t.Loose)
		u.texts = append(u.texts, t)
	}
	u.choose()
	u.releases()
	s := u.settings()
	for i := range u.texts {
		u.cover(&u.texts[i])
	}
	out := &target.Understood{Settings: s, Coverage: u.coverage, Where: u.where, Host: u.word("system", "hostname")}
	out.BGP = u.bgp()
	if mac := u.word("mlag", "mac-address"); mac != "" && mac != "auto" {
		out.Pair = "mlag " + strings.ToLower(mac)
	}
	return out
}

// word returns a value without a row in the grammar; empty if it is missing. In a text of commands, the value is the last key of its
// path.
//
// Both switches of an MLAG have its mac-address. Source: Cumulus Linux 5.x, Multi-Chassis Link Aggregation.
func (u *understanding) word(path ...string) string {
	if u.reading == nil {
		return ""
	}
	return wordOf(u.reading.set.Get(path...))
}

// bgp reads the AS number and the neighbours of BGP in the default VRF. Auto BGP (leaf, spine) states no number.
//
// Source: Cumulus Linux 5.x, NVUE Reference, BGP: router bgp autonomous-system; vrf default router bgp neighbor remote-as, peer-group.
func (u *understanding) bgp() *target.BGP {
	if u.reading == nil {
		return nil
	}
	word := u.word("vrf", "default", "router", "bgp", "autonomous-system")
	if word == "" {
		word = u.word("router", "bgp", "autonomous-system")
	}
	as, err := strconv.ParseUint(word, 10, 32)
	if err != nil || as == 0 || u.word("router", "bgp", "enable") == "off" || u.word("router", "bgp", "state") == "disabled" {
		return nil
	}
	out := &target.BGP{AS: uint32(as), Sessions: map[string]uint32{}}
	at := u.reading.set.Get("vrf", "default", "router", "bgp")
	neighbours := at.Get("neighbor")
	for _, name := range neighbours.Keys() {
		remote := wordOf(neighbours.Get(name, "remote-as"))
		if remote == "" {
			remote = wordOf(at.Get("peer-group", wordOf(neighbours.Get(name, "peer-group")), "remote-as"))
		}
		switch n, err := strconv.ParseUint(remote, 10, 32); {
		case remote == "internal":
			out.Sessions[name] = out.AS
		case remote == "external":
			out.Sessions[name] = 0
		case err == nil && n > 0:
			out.Sessions[name] = uint32(n)
		}
	}
	at.Leaves(func(l grammar.Leaf) {
		switch {
		case slices.Contains(l.Path, "allow-my-asn") && !slices.Contains(l.Path, "off") && l.Value != "off":
			out.Unlike = "it accepts routes with its own AS number (allow-my-asn)"
		case slices.Contains(l.Path, "policy") && out.Unlike == "":
			out.Unlike = "a policy changes or filters its routes"
		}
	})
	return out
}

// wordOf returns the word of a scalar, or the last key of a path that was read from a command.
func wordOf(t *grammar.Tree) string {
	if keys := t.Keys(); len(keys) == 1 {
		return keys[0]
	}
	if !t.IsScalar() {
		return ""
	}
	return t.Value
}

// text is one text of a configuration.
type text struct {
	*grammar.Loose
	name   string
	data   []byte
	moment ir.Moment
	other  bool // a text of another moment is read in place of this one
}

// whole reports whether a text is a device's whole configuration.
func (t *text) whole() bool { return !t.Refused && t.Part == "" }

// understanding is the state of [Understand].
type understanding struct {
	id       target.Identity
	texts    []text
	g        *grammar.Grammar
	release  grammar.Release
	unlike   bool // the release is older than the table
	reading  *reading
	coverage target.Coverage
}

// momentOf returns the moment of a text by its name, or by the command line above it.
func momentOf(name string, l *grammar.Loose) ir.Moment {
	lower := strings.ToLower(name)
	base := path.Base(lower)
	switch {
	case l.Printed:
		return ir.Running
	case strings.HasPrefix(base, "startup"), strings.HasSuffix(base, "startup.yaml"): // also a copy, such as leaf01-startup.yaml
		return ir.Stored
	case strings.Contains(base, "applied"), strings.Contains(base, "running"), strings.Contains(lower, "config show"),
		strings.Contains(base, "config-show"), strings.Contains(base, "config_show"):
		return ir.Running
	}
	return ir.MomentUnknown
}

// choose marks whole texts of other moments as unused: running texts override stored ones, and stored texts override those without a
// moment.
func (u *understanding) choose() {
	best := ir.MomentUnknown
	for i := range u.texts {
		if t := &u.texts[i]; t.whole() {
			best = max(best, t.moment)
		}
	}
	for i := range u.texts {
		t := &u.texts[i]
		t.other = best != ir.MomentUnknown && t.moment != best && (t.whole() || t.moment != ir.MomentUnknown)
	}
}

// releases finds the release, which decides the existing paths: the release of a header, or of the switch.
func (u *understanding) releases() {
	stated := u.id.Release
	for i := range u.texts {
		if v := u.texts[i].Header.Get("version"); !u.texts[i].other && v.IsScalar() {
			stated = strings.TrimPrefix(v.Value, "Cumulus Linux ")
		}
	}
	u.g = grammar.Any()
	if rel, ok := grammar.ParseRelease(stated); ok && !strings.Contains(stated, "-") {
		if u.unlike = rel.Compare(grammar.First) < 0 || rel.AtLeast(6, 0); !u.unlike {
			u.release, u.g = rel, grammar.For(rel)
		}
	}
}

// settings joins the texts, whole ones before parts, and reads the tree.
func (u *understanding) settings() *ir.Settings {
	set, whole, read := grammar.Map(), false, 0
	moments := map[ir.Moment]bool{}
	for _, part := range []bool{false, true} {
		for i := range u.texts {
			t := &u.texts[i]
			if t.other || t.Refused || t.whole() == part {
				continue
			}
			for _, l := range leavesOf(t.Unset) {
				set.Delete(l.Path, 0)
			}
			set.Overlay(t.Set)
			whole = whole || !part
			moments[t.moment] = true
			read++
			if part && u.coverage.Part == "" {
				u.coverage.Part = t.Part
			}
		}
	}
	if whole {
		u.coverage.Part = ""
	}
	u.reading = newReading(set)
	u.reading.strict, u.reading.whole, u.reading.release = true, whole && !u.unlike && !presetUnread(set), u.release
	u.reading.preset = u.reading.preset && !presetUnread(set)
	s := u.reading.settings(u.id.Ports)
	if len(moments) == 1 {
		for m := range moments {
			s.Moment = m
		}
	}
	if read == 0 {
		s = &ir.Settings{}
		u.coverage.Part = "it cannot be read"
	}
	u.system(s)
	return s
}

// presetUnread reports whether it is unknown if the preset is on.
func presetUnread(set *grammar.Tree) bool {
	t := set.Get("qos", "roce")
	if t != nil && !t.IsMap() {
		return true
	}
	for _, key := range []string{"enable", "state"} {
		if x := t.Get(key); x != nil {
			_, ok := grammar.On(x)
			return !ok
		}
	}
	return false
}

func leavesOf(t *grammar.Tree) (out []grammar.Leaf) {
	if t != nil {
		t.Leaves(func(l grammar.Leaf) { out = append(out, l) })
	}
	return out
}

// system reads the facts about the switch in a header. Without a header, the paths determine a range of releases.
func (u *understanding) system(s *ir.Settings) {
	for i := range u.texts {
		h := u.texts[i].Header
		if u.texts[i].other {
			continue
		}
		if v := h.Get("version"); v.IsScalar() && !v.Bad {
			if release, ok := strings.CutPrefix(v.Value, "Cumulus Linux "); ok {
				s.System.OS, s.System.Release = ir.Of(cumulus.OS.Name), ir.Of(release)
			}
		}
		if m := h.Get("model"); m.IsScalar() && !m.Bad && m.Value != "" {
			s.System.Model = ir.Of(m.Value)
			if sw, ok := platform.FindSwitch(m.Value); ok {
				s.System.Model, s.System.Chip = ir.Of(sw.Name), ir.ByDefault(sw.ASIC.Name)
			}
		}
	}
	if u.reading != nil && !s.System.Release.Known() && u.id.Release == "" {
		if first, last, ok := grammar.Span(u.reading.set); ok {
			s.System.Release = ir.ByDefault(fmt.Sprintf("%d.%d to %d.%d", first[0], first[1], last[0], last[1]))
		}
	}
}

// mostMissed is the maximum number of listed rows that are not understood.
const mostMissed = 10_000

// asideMoment is the reason why rows of a text set nothing.
const asideMoment = "another text is of a later moment"

// cover counts the rows of a text.
func (u *understanding) cover(t *text) {
	c := &u.coverage
	lines := grammar.NewLines(t.name, t.data)
	from := len(c.Not)
	for _, slip := range t.Slips {
		c.Miss(lines.Shown(slip.Place), slip.Text, lines.Range(slip.Place))
	}
	c.Rows += t.More
	t.Rows(func(w grammar.Written) {
		row, why := u.mean(w)
		switch {
		case t.other:
			c.Leave(asideMoment)
		case why != "" && len(c.Not) < mostMissed:
			c.Miss(diag.Escape(grammar.Spell(w.Path)), why, lines.Span(u.wrong(w), cmp.Or(w.Leaf.At, w.Place)))
		case why != "":
			c.Rows++
		case row.Field != ir.NoField:
			c.Mean(row.Field)
		default:
			c.Leave(row.Aside)
		}
	})
	not := c.Not[from:]
	sort.SliceStable(not, func(i, j int) bool { return not[i].At.Start.Byte < not[j].At.Start.Byte })
}

// wrong returns the place of a row's first unknown key, or of the path that does not accept such members. Otherwise it returns the place
// of the last key.
func (u *understanding) wrong(w grammar.Written) grammar.Place {
	last := len(w.Keys) - 1
	if w.Kind == "header" {
		return w.Keys[last]
	}
	keys := make([]string, 0, len(w.Path))
	for i, key := range w.Path {
		keys = append(keys, grammar.Singles(keys, key)[0])
		if _, known := u.g.At(keys); !known && i < last {
			return w.Keys[i]
		}
	}
	if row, at := u.g.Meant(keys); row != nil && row.Path != "" && row.Kind != grammar.Anything && at > 0 {
		return w.Keys[at-1]
	}
	return w.Keys[last]
}

// mean returns the row of the table for a row of a text, or why it is not understood.
func (u *understanding) mean(w grammar.Written) (row *grammar.Row, why string) {
	if w.Kind == "header" {
		if last := w.Path[len(w.Path)-1]; last == "version" || last == "model" {
			return &grammar.Row{Field: ir.FieldSystem}, ""
		}
		return &grammar.Row{Aside: "the header of the text"}, ""
	}
	keys := make([]string, len(w.Path))
	for i, key := range w.Path {
		keys[i] = grammar.Singles(keys[:i], key)[0]
	}
	row, why = u.meanOne(w, keys)
	for i, key := range w.Path {
		if why != "" || i < 2 || !strings.ContainsAny(key, ",-") {
			continue
		}
		for _, single := range grammar.Singles(keys[:i], key) { // each number of a range must be valid
			one := slices.Clone(keys)
			one[i] = single
			if _, why = u.meanOne(w, one); why != "" {
				break
			}
		}
	}
	return row, why
}

func (u *understanding) meanOne(w grammar.Written, keys []string) (*grammar.Row, string) {
	row, at := u.g.Meant(keys)
	switch {
	case row == nil:
		if len(grammar.Elsewhere(keys)) > 0 {
			return nil, "the release does not have this path"
		}
		return nil, "no manual that rocec knows has this path"
	case row.Open != "":
		return nil, row.Open
	case w.Kind == "unset":
		return row, ""
	case row.Kind == grammar.Set && at < len(keys):
		if k := keys[at]; at != len(keys)-1 || len(k) != 1 || k[0] < '0' || k[0] > '7' {
			return nil, "priorities are 0 to 7"
		}
	case at == len(keys) && row.Kind != grammar.Set:
		if row.Wrong(w.Leaf) != "" {
			return nil, "the path does not accept this value"
		}
	case at < len(keys) && row.Kind != grammar.Anything && row.Kind != grammar.Members:
		return nil, "the path continues below a value"
	}
	return row, ""
}

// where returns the place of a value. For a pool, port is the pool's name.
func (u *understanding) where(port string, f ir.Field, index int) (diag.Range, bool) {
	if u.reading == nil {
		return diag.Range{}, false
	}
	var paths [][]string
	u.reading.places(port, f, index, func(path ...string) { paths = append(paths, path) })
	for _, path := range paths {
		for i := len(u.texts) - 1; i >= 0; i-- {
			t := &u.texts[i]
			if t.other {
				continue
			}
			from, keys := t.Set, path
			if path[0] == "header" {
				from, keys = t.Header, path[1:]
			}
			if x := from.Get(keys...); x != nil && cmp.Or(x.Key.Line, x.At.Line) > 0 {
				return grammar.NewLines(t.name, t.data).Range(cmp.Or(x.Key, x.At)), true
			}
		}
	}
	return diag.Range{}, false
}
