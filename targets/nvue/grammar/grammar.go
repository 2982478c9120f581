package grammar

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	cl "github.com/rocec/rocec/targets/cumulus/grammar"
)

// ParseRelease reads "5.9.0" or "5.9".
func ParseRelease(s string) (Release, bool) { return cl.ParseRelease(s) }

// Port is a front-panel port.
type Port = cl.Port

// ParsePort reads the name of a front-panel port: swp1, swp1s0.
func ParsePort(s string) (Port, bool) { return cl.ParsePort(s) }

// The files that NVUE writes, and that a switch configured by files has.
const (
	FeaturesPath = cl.FeaturesPath
	InfraPath    = cl.InfraPath
)

// Newest is the newest release whose reference rocec knows.
var Newest = Release{5, 18}

// Grammar has the paths of one release.
type Grammar struct {
	release Release
	rows    map[Meaning]*Row
	root    *level
}

// level has the keys that may follow a path.
type level struct {
	kids map[string]*level // by literal key
	any  []wild            // by kind of key
	row  *Row              // nil: the level is a mapping
}

type wild struct {
	name string
	*level
}

// For returns the grammar of a release. For releases newer than [Newest] it has the rows of [Newest].
func For(r Release) *Grammar {
	g := &Grammar{release: r, rows: map[Meaning]*Row{}, root: &level{}}
	rows := Rows()
	for i := range rows {
		row := &rows[i]
		if row.In(r) {
			g.insert(row)
		}
	}
	return g
}

// In reports whether a release has the path.
func (r *Row) In(of Release) bool {
	since := r.Since
	if since == (Release{}) {
		since = First
	}
	return of.Compare(since) >= 0 && (r.Before == (Release{}) || of.Compare(r.Before) < 0)
}

func (l *level) add(key string) *level {
	if strings.HasPrefix(key, "<") {
		for _, w := range l.any {
			if w.name == key {
				return w.level
			}
		}
		w := wild{key, &level{}}
		l.any = append(l.any, w)
		return w.level
	}
	if l.kids == nil {
		l.kids = map[string]*level{}
	}
	if l.kids[key] == nil {
		l.kids[key] = &level{}
	}
	return l.kids[key]
}

func (l *level) find(key string) *level {
	next, _ := l.named(key)
	return next
}

// stands reports whether a wildcard matches a key.
func stands(wildcard, key string) bool {
	if names := wildcards[wildcard]; names != nil {
		return slices.Contains(names, key)
	}
	switch wildcard {
	case "<n>":
		return len(key) == 1 && key[0] >= '0' && key[0] <= '7'
	case "<class>": // traffic classes of buffers are 0 to 15
		n, err := strconv.Atoi(key)
		return err == nil && n >= 0 && n <= 15 && strconv.Itoa(n) == key
	case "<pool-id>":
		return len(key) <= 3 && digits(key) == len(key) && key != ""
	case "<dscp>":
		n, err := strconv.Atoi(key)
		return err == nil && n >= 0 && n <= 63 && strconv.Itoa(n) == key
	case "<profile>":
		return IsProfile(key)
	case "<buffer>":
		return strings.HasSuffix(key, "-buffer") || key == "shared-headroom"
	}
	return key != ""
}

// Row returns the row of a meaning, or nil if the release has no such path.
func (g *Grammar) Row(m Meaning) *Row { return g.rows[m] }

// Path returns the path of a meaning, with names for its wildcards in order. It returns nil if the release has no such path.
func (g *Grammar) Path(m Meaning, names ...string) []string {
	row := g.rows[m]
	if row == nil {
		return nil
	}
	path := strings.Split(row.Path, ".")
	for i, key := range path {
		if strings.HasPrefix(key, "<") && len(names) > 0 {
			path[i], names = names[0], names[1:]
		}
	}
	return path
}

// Word returns the release's word for on or off at the path of a meaning. The word is empty if the path is missing or is not a switch.
func (g *Grammar) Word(m Meaning, on bool) string {
	row := g.rows[m]
	if row == nil || row.Kind != OnOff {
		return ""
	}
	if on {
		return row.Words[0]
	}
	return row.Words[1]
}

// At returns the row for the value at a path, or nil. known reports whether the release has the path at all, as a setting or as a
// mapping above settings. Only paths below qos and interface.<name>.qos are known.
func (g *Grammar) At(path []string) (row *Row, known bool) {
	at := g.root
	for _, key := range path {
		if at.row != nil {
			return at.row, at.row.Kind == Anything || at.row.Kind == Set
		}
		if at = at.find(key); at == nil {
			return nil, false
		}
	}
	return at.row, true
}

// Beside returns the sorted keys that a release has in place of the last key of a path. It returns none if the path above is unknown.
func (g *Grammar) Beside(path []string) []string {
	at := g.root
	for _, key := range path[:len(path)-1] {
		if at = at.find(key); at == nil {
			return nil
		}
	}
	return slices.Sorted(maps.Keys(at.kids))
}

// Elsewhere returns the rows of any release for a path, which may be a setting or a mapping above one.
func Elsewhere(path []string) []*Row {
	var out []*Row
	rows := Rows()
	for i := range rows {
		row := &rows[i]
		keys := strings.Split(row.Path, ".")
		if len(keys) < len(path) && row.Kind != Anything && row.Kind != Set {
			continue
		}
		if n := min(len(keys), len(path)); match(keys[:n], path[:n]) {
			out = append(out, row)
		}
	}
	return out
}

// is reports whether the row has a path.
func (r *Row) is(path []string) bool {
	return strings.Count(r.Path, ".")+1 == len(path) && match(strings.Split(r.Path, "."), path)
}

// match reports whether the keys of a row match the keys of a path of the same length, directly or by wildcards.
func match(keys, path []string) bool {
	for i, key := range keys {
		if key != path[i] && !(strings.HasPrefix(key, "<") && stands(key, path[i])) {
			return false
		}
	}
	return true
}

// bare has the fields that a key sets without any value, by its path.
var bare = map[string]ir.Field{
	"qos.roce":                               ir.FieldPreset,   // `nv set qos roce` (Cumulus Linux 5.14, RDMA over Converged Ethernet)
	"interface.<interface>.qos.pfc-watchdog": ir.FieldWatchdog, // Cumulus Linux 5.x, Quality of Service, PFC Watchdog
}

// asideBare is the reason why a bare key sets no field.
const asideBare = "a name without values"

// Any returns the grammar of all releases together, for a tree without a known release.
func Any() *Grammar {
	g := &Grammar{rows: map[Meaning]*Row{}, root: &level{}}
	rows := Rows()
	for i := range rows {
		g.insert(&rows[i])
	}
	return g
}

// Meant returns the row of a leaf: the deepest row on its path. Nil: no row of the release describes the leaf. at is the number of keys
// of the path that lead to the row.
func (g *Grammar) Meant(path []string) (row *Row, at int) {
	level := g.root
	var names []string
	for i, key := range path {
		next, name := level.named(key)
		if next == nil {
			return row, at
		}
		level = next
		names = append(names, name)
		switch {
		case level.row == nil:
		case level.row.Kind == Anything || level.row.Kind == Set || level.row.Kind == Members || i == len(path)-1:
			row, at = level.row, i+1
		}
	}
	if level.row != nil {
		return row, at
	}
	if f := bare[strings.Join(names, ".")]; f != ir.NoField {
		return &Row{Field: f, Type: Type{Kind: Members}}, len(path)
	}
	if row == nil || row.Open != "" {
		return &Row{Aside: asideBare, Type: Type{Kind: Members}}, len(path)
	}
	return row, at
}

// Valued returns the row whose value or members are the next word of a command; nil: the next word is a key.
func (g *Grammar) Valued(path []string) *Row {
	level := g.root
	for _, key := range path {
		if level, _ = level.named(key); level == nil {
			return nil
		}
	}
	if level.row == nil || level.row.Kind == Anything {
		return nil
	}
	return level.row
}

// named returns the level below a key, and the key or wildcard that matched.
func (l *level) named(key string) (*level, string) {
	if k := l.kids[key]; k != nil {
		return k, key
	}
	for _, w := range l.any {
		if stands(w.name, key) {
			return w.level, w.name
		}
	}
	return nil, ""
}

// insert adds a row to the paths.
func (g *Grammar) insert(row *Row) {
	if row.Means != NoMeaning {
		g.rows[row.Means] = row
	}
	at := g.root
	for key := range strings.SplitSeq(row.Path, ".") {
		at = at.add(key)
	}
	at.row = row
}

// Span returns the first and the last release that have every path of a tree, ignoring paths of no release. ok is true if such
// releases exist and others lack a path.
func Span(set *Tree) (first, last Release, ok bool) {
	g, wanted := Any(), map[string]bool{}
	set.Leaves(func(l Leaf) {
		if row, _ := g.Meant(l.Path); row != nil && row.Path != "" {
			wanted[row.Path] = true
		}
	})
	rows, lacking := Rows(), false
	for minor := First[1]; minor <= Newest[1]; minor++ {
		of := Release{First[0], minor}
		has := map[string]bool{}
		for i := range rows {
			if wanted[rows[i].Path] && rows[i].In(of) {
				has[rows[i].Path] = true
			}
		}
		if len(has) < len(wanted) {
			lacking = true
			continue
		}
		if last = of; !ok {
			first, ok = of, true
		}
	}
	return first, last, ok && lacking
}
