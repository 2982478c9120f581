// Package conflint judges the settings files of Cumulus Linux switches: traffic.conf of every release, qos_features.conf and
// qos_infra.conf, and the memory pools of datapath.conf. It needs no description of a fabric.
//
// The input is the bytes of files. The output is diagnostics with the bytes at fault, and the dialect of each file. A dialect is
// recognised by the keys that a file sets ([grammar.Keys]), never guessed. A file that no release would understand is an error of its own.
// Where several releases spell alike, the findings are true for all of them.
//
// Values that a file does not contain are assumed so that the verdict is true on every switch: the slowest plausible port for headroom,
// the largest chip of the dialect for memory. Where the manuals disagree, or are silent, the text states that, and the finding is a
// warning at most.
package conflint

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	nvue "github.com/rocec/rocec/targets/nvue/lint"
	"github.com/rocec/rocec/targets/target/lint"
)

// Linter judges the files of switches that are configured by files. It takes every file that no other linter takes, since a settings file
// has no header. For a file without a known key, the finding lists the files that it could be.
var Linter = &lint.Linter{
	Names:  grammar.Files,
	Ends:   []string{".conf", ".txt", ".cfg"},
	Begins: begins,
	Most:   MaxFile,
	Check:  Check,
	Rules:  Rules,
	Shows:  shows(),
}

// shows is a command for each file.
func shows() map[string]string {
	out := map[string]string{}
	for _, name := range grammar.Files {
		out[name] = "cat /etc/cumulus/datapath/" + name
	}
	for _, file := range []string{grammar.FeaturesPath, grammar.InfraPath} {
		out[path.Base(file)] = "cat " + file
	}
	return out
}

// begins reports whether a file of any name in a folder sets a key of a release.
func begins(f lint.File) bool {
	const most = 64 << 10
	lines, _ := grammar.Parse(f.Head(most))
	return slices.ContainsFunc(lines, func(l grammar.Line) bool {
		words := strings.Split(l.Key, ".")
		row, _, _ := grammar.Match(words)
		return !l.Hidden && len(words) > 1 && row != nil
	})
}

// Reasons why files of settings are not judged, and the dialect of one that is whole without a key to judge.
const (
	noKey  = "no line sets a key that rocec knows"
	noKeys = "no key in it that rocec judges"
)

// Foreign is the code of a file that sets no key of any release, and Unlisted that of the keys of a group that is not in force.
const (
	Foreign  = "conf-dialect"
	Unlisted = "conf-group-unlisted"
)

// result is a judgement in the making.
type result lint.Result

// Check judges files. Those of one switch (of one folder, or of one folder that holds a tree with etc/ or usr/lib/) are
// judged together. A file that holds a configuration of NVUE in the place of settings is judged as one.
func Check(files []lint.File) lint.Result { return check(files, nvue.Takes) }

// CheckOwn is [Check] of files that a switch reads settings from: a configuration of NVUE is of no release there.
func CheckOwn(files []lint.File) lint.Result {
	return check(files, func(lint.File) bool { return false })
}

func check(files []lint.File, other func(lint.File) bool) lint.Result {
	r := result{Files: make([]lint.Taken, len(files))}
	devices := map[string][]int{}
	var order []string
	for i, f := range files {
		if other(f) {
			taken, found := nvue.Judge(f)
			r.Files[i] = taken
			r.Diagnostics = append(r.Diagnostics, found...)
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
	r.Diagnostics = lint.Fold(r.Diagnostics)
	return lint.Result(r)
}

// device judges the files of one switch.
func (r *result) device(files []lint.File, of []int) {
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
		s.nameless = s.kind == grammar.AnyFile
		if rel, ok := grammar.ParseRelease(s.Release); ok && s.kind&rel.Dialects() != 0 {
			s.kind &= rel.Dialects()
		}
		alone := &unit{}
		s.read(alone)
		switch idle := s.idle(newer); {
		case !s.readable:
			r.Files[i].Why = lint.Unread
		case idle && (len(of) == 1 || len(bytes.TrimSpace(s.Data)) == 0):
			why := noKey
			if len(bytes.TrimSpace(s.Data)) == 0 {
				why = lint.Empty
			}
			r.Files[i].Why = why
			r.Diagnostics = append(r.Diagnostics, lint.NotJudged(s.Name, why, "See that it is the right file, and that it came over whole."))
		case idle && s.kind == grammar.QoSInfra:
			s.cand = grammar.QoSInfra
		case idle:
			r.Files[i].Dialect = noKeys
		default:
			if s.recognise(alone); s.cand == 0 {
				r.Files[i].Why = noKey
				if slices.ContainsFunc(alone.found.List, func(d *diag.Diagnostic) bool { return d.Code == topicMixed.Code }) {
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

// take adds the findings of a unit.
func (r *result) take(u *unit) {
	r.Diagnostics = append(r.Diagnostics, u.found.Close()...)
}

// split returns the switch after which a file is named, and its base name, which is empty for other files.
func split(name string) (owner, base string) {
	for _, n := range grammar.Files {
		if owner, ok := lint.Owner(name, n); ok {
			return owner, n
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

// unit is the files of one switch that are read together, and their settings.
type unit struct {
	sources  []*source
	set      map[string]*setting // the last of each key
	order    []*setting          // those, in the order of the files
	cand     grammar.Dialects    // of all files
	found    lint.Findings
	meant    map[string]bool // keys with a slip in them, as they were to be
	lossless map[int]item    // the cos of listed PFC groups, where first named
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
	}
	u.sources = append(u.sources, s)
	u.cand |= s.cand
	u.found.Join(&alone.found)
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
	u.checkBandwidth()
	u.checkPools()
	u.checkMemoryBeside()
	u.checkCutThrough()
	u.checkWatchdog()
}

func (u *unit) errorf(t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	return u.found.Report(diag.Error, t, at, format, args...)
}

func (u *unit) warnf(t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	return u.found.Report(diag.Warning, t, at, format, args...)
}

func (u *unit) noticef(t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	return u.found.Report(diag.Notice, t, at, format, args...)
}
