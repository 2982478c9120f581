// Package lint judges a config_db.json of SONiC, or what `sonic-cfggen -d --print-data` printed, by itself: without a fabric.
//
// In come the bytes of a file; out come diagnostics at its lines. Only tables of QoS and buffers are looked at. What no model and no
// code of a release settles is a warning at most.
package lint

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target/lint"
)

// Judgement is what the rules find in a file.
type Judgement struct {
	Diagnostics diag.List
	Why         string // why no rule has judged the file or a part of it, as a part of a sentence; empty: the rules have judged all of it
	Silent      bool   // no diagnostic says so
	Plain       bool   // the rules have judged all of it, and its switch has no RoCE configuration at all
}

// Judge judges a file of a release; 0: the one it names itself, or the newest that rocec knows.
//
// A file without anything, or of white space alone, is one that cannot be read: the switch boots without a port.
func Judge(name string, data []byte, r grammar.Release) Judgement {
	data = bytes.TrimPrefix(data, []byte(lint.ByteOrderMark)) // the bytes of a place count from behind it
	j := &judge{name: name, data: data, release: r, file: true}
	if len(bytes.TrimSpace(data)) == 0 {
		j.found.Report(diag.Error, &topicText, j.place(grammar.Place{Line: 1, Column: 1}, 0), "The file is empty, so it is not JSON: it was "+
			"never written, or cut off while it was. Write it anew, on a switch with `config save -y`.")
		return Judgement{Diagnostics: j.found.List, Why: lint.Empty}
	}
	f := Judgement{Diagnostics: j.check(grammar.Read)}
	f.Why = j.unjudged()
	f.Silent = f.Why != "" && j.cfg != nil && len(j.cfg.Tables)+len(j.cfg.Others) > 0
	f.Plain = f.Why == "" && j.plain()
	return f
}

// unjudged says why no rule has judged a file or a part of it; empty: the rules have judged all of it.
func (j *judge) unjudged() string {
	if j.cfg == nil {
		return lint.Unread
	}
	for name := range j.cfg.Others { // PORT|Ethernet0, as a dump of the database has it
		if table, _, dump := strings.Cut(name, "|"); dump && grammar.TableOf(table) != nil {
			return "its keys are those of a database dump (TABLE|key), and a configuration has tables of rows"
		}
	}
	for name, section := range j.cfg.Tables {
		if name == "PORT" && len(section.Rows) > 0 || !grammar.TableOf(name).Beside {
			return ""
		}
	}
	return "it has no table of ports, QoS or buffers"
}

// plain reports whether a file describes the ports of a switch, and nothing that pauses, marks or reserves headroom.
func (j *judge) plain() bool {
	if j.cfg == nil || len(j.cfg.Keys("PORT")) == 0 {
		return false
	}
	for _, of := range [][2]string{
		{"PORT_QOS_MAP", "pfc_enable"}, {"QUEUE", "wred_profile"}, {"BUFFER_PROFILE", "xoff"}, {"PFC_WD", "action"},
	} {
		for _, key := range j.cfg.Keys(of[0]) {
			if j.cfg.Get(of[0], key, of[1]) != "" {
				return false
			}
		}
	}
	return true
}

// CheckRows is [Check] of a state, as [grammar.Config.Rows] writes it.
func CheckRows(name string, data []byte, r grammar.Release) diag.List {
	j := &judge{name: name, data: data, release: r}
	return j.check(grammar.ReadRows)
}

func (j *judge) check(read func([]byte) (*grammar.Config, error)) diag.List {
	j.told = map[string]bool{}
	cfg, err := read(j.data)
	if err != nil {
		at, line, text := 0, grammar.Place{}, err.Error()
		if e, ok := errors.AsType[*grammar.Error](err); ok {
			at, line, text = e.At, e.Place, e.Text
		}
		j.found.Report(diag.Error, &topicText, j.place(line, at), "The file cannot be read as a configuration: %s", diag.Escape(text))
		return j.found.List
	}
	j.cfg = cfg
	if j.release == 0 {
		if j.release = grammar.ReleaseOf(cfg); j.release == 0 {
			j.release = grammar.Newest
		}
	}
	j.problems()
	j.others()
	j.version()
	j.fields()
	j.same()
	j.ports()
	j.buffers()
	j.lookups()
	j.watchdogs()
	j.profiles()
	return j.found.Close()
}

type judge struct {
	name    string
	data    []byte
	file    bool // it is a file, and not the state of a switch
	cfg     *grammar.Config
	release grammar.Release
	found   lint.Findings
	told    map[string]bool // what is said once
	untyped map[int]bool    // bytes at which a value stands that is no text, of which that is said
}

// once reports whether nothing was said yet of a thing.
func (j *judge) once(of ...any) bool {
	key := fmt.Sprintln(of...)
	before := j.told[key]
	j.told[key] = true
	return !before
}

// problems reports the findings of the reader. A value that is no text and would be wrong as one is one finding.
func (j *judge) problems() {
	j.untyped = map[int]bool{}
	for _, p := range j.cfg.Found {
		if p.And != 0 {
			j.errorf(&topicTwice, p.At, "%s", p.Says)
			continue
		}
		also := ""
		if f, _ := grammar.TableOf(p.Table).Field(j.release, p.Field); f != nil {
			if wrong := f.Wrong(j.release, j.cfg.Get(p.Table, p.Row, p.Field)); wrong != "" {
				also = fmt.Sprintf(" Besides, %s %s (model %s).", p.Field, wrong, grammar.TableOf(p.Table).Module)
			}
		}
		j.untyped[p.At] = true
		j.errorf(&topicValue, p.At, "In %s, row %s, %s%s", p.Table, p.Row, p.Says, also)
	}
}

// version says by what a file is judged that names a release that is not known.
func (j *judge) version() {
	row := j.cfg.Row("VERSIONS", "DATABASE")
	if !j.file || !row.Has("VERSION") || grammar.ReleaseOf(j.cfg) != 0 {
		return
	}
	known := make([]string, len(grammar.Releases))
	for i, r := range grammar.Releases {
		known[i] = r.String()
	}
	v := row.Fields["VERSION"]
	j.warnf(&topicValue, v.At, "VERSION is %q, and rocec knows %s. The file is judged by the models of %s: fields and ranges of another "+
		"release may differ.", v.Text, diag.And(known), j.release)
}

func (j *judge) errorf(t *diag.Topic, at int, format string, args ...any) {
	j.say(t, diag.Error, at, format, args)
}

func (j *judge) warnf(t *diag.Topic, at int, format string, args ...any) {
	j.say(t, diag.Warning, at, format, args)
}

func (j *judge) say(t *diag.Topic, sev diag.Severity, at int, format string, args []any) {
	if j.found.Omit(t) {
		return
	}
	j.found.Report(sev, t, j.place(j.cfg.Place(at), at), "%s", diag.Escape(fmt.Sprintf(format, args...)))
}

// place gives the word at a line and column; at is its first byte.
func (j *judge) place(of grammar.Place, at int) diag.Range {
	r := diag.Range{Filename: j.name}
	r.Start.Line, r.Start.Column = max(of.Line, 1), max(of.Column, 1)
	r.End = r.Start
	if of.Line < 1 || at < 0 || at > len(j.data) {
		return r
	}
	if r.Start.Byte, r.End.Byte = at, at; at == len(j.data) {
		return r
	}
	const longest = 200
	word := j.data[at:min(len(j.data), at+longest)]
	end := 1 + slices.IndexFunc(word[1:], func(c byte) bool { return strings.IndexByte("\",:{}[] \n\r\t", c) >= 0 })
	if quoted := bytes.IndexAny(word[1:], "\"\n"); word[0] == '"' && quoted >= 0 && word[1+quoted] == '"' {
		end = quoted + len(`""`)
	}
	if end == 0 {
		end = len(word)
	}
	r.Start.Byte, r.End.Byte = at, at+end
	r.End.Column += utf8.RuneCount(word[:end])
	return r
}

// ours lists the tables that are judged.
func (j *judge) ours() []*grammar.Table {
	var out []*grammar.Table
	for i := range grammar.Tables {
		if t := &grammar.Tables[i]; j.cfg.Tables[t.Name] != nil {
			out = append(out, t)
		}
	}
	return out
}

// fields holds rows to the table of fields, and names to what is declared.
func (j *judge) fields() {
	if j.file && len(j.cfg.Tables) == 0 && len(j.cfg.Others) == 0 {
		j.warnf(&topicEmpty, 0, "The configuration has no table at all, so there is nothing to judge. A switch that boots with it has no port.")
	}
	for _, t := range j.ours() {
		section := j.cfg.Tables[t.Name]
		if len(section.Rows) == 0 && !t.Beside {
			j.errorf(&topicEmpty, section.At, "The table %s is empty. CONFIG_DB has no empty table, and `config apply-patch` refuses a "+
				"configuration with one. Leave the table out.", t.Name)
		}
		for _, key := range j.cfg.Keys(t.Name) {
			row := section.Rows[key]
			j.key(t, key, row)
			for _, name := range row.Names() {
				j.field(t, key, name, row.Fields[name])
			}
		}
	}
}

// key judges the key of a row.
func (j *judge) key(t *grammar.Table, key string, row *grammar.Row) {
	port := key
	switch t.Key {
	case grammar.NameKey:
		if t.Module != "sonic-scheduler" && !strings.HasPrefix(t.Module, "sonic-buffer") && !grammar.IsName(key) {
			j.errorf(&topicValue, row.At, "%s has a row %s. A name begins with a letter or a digit, goes on with these, - and _, and has no "+
				"more than 32 characters.", t.Name, key)
		}
		return
	case grammar.PortRangeKey:
		parts := strings.Split(key, "|")
		if len(parts) == 4 { // a switch of several chips in one chassis
			return
		}
		_, _, ok := grammar.ParseRange(parts[len(parts)-1])
		if len(parts) != 2 || !ok {
			j.errorf(&topicValue, row.At, "%s has a row %s, where a port and a number or a range stand: Ethernet0|3-4.", t.Name, key)
			return
		}
		if _, last, _ := grammar.ParseRange(parts[1]); t.Name == "BUFFER_PG" && last > 7 {
			j.errorf(&topicValue, row.At, "BUFFER_PG has a row %s; a port has the priority groups 0 to 7.", key)
			return
		}
		port = parts[0]
	case grammar.PortKey:
		if slices.Contains(t.Fixed, key) {
			return
		}
	default:
		return
	}
	if ports := j.cfg.Tables["PORT"]; t.Name != "PORT" && ports != nil && ports.Rows[port] == nil && port != "CPU" {
		j.errorf(&topicRef, row.At, "%s has a row of %s, and PORT has no such port. A patch that leaves it so is refused, and nothing of it "+
			"counts.", t.Name, port)
	}
}

func (j *judge) field(t *grammar.Table, key, name string, v grammar.Value) {
	f, other := t.Field(j.release, name)
	switch {
	case f == nil && other != nil && other.Since > j.release:
		j.errorf(&topicField, v.At, "%s of %s came with %s, and this is %s. A patch to a configuration with it is "+
			"refused.", name, t.Name, other.Since, j.release)
		return
	case f == nil && t.Fields[0].Name == "<n>":
		j.errorf(&topicField, v.At, "%s takes the numbers 0 to %d, and row %s has %q. A patch to a configuration with it is refused.",
			t.Name, t.Fields[0].Keys, key, name)
		return
	case f == nil:
		if t.Name != "PORT" && t.Name != "DEVICE_METADATA" && t.Name != "VERSIONS" {
			j.warnf(&topicField, v.At, "No model of %s has the field %s of %s, row %s. If it is a slip, it sets nothing, and patches are refused.%s",
				j.release, name, t.Name, key, diag.DidYouMean(name, fieldNames(t, j.release)))
		}
		return
	}
	if f.Late && f.Since == j.release && j.once("late", t.Name, f.Name) {
		j.warnf(&topicField, v.At, "%s of %s came to %s while the branch was in use, and builds from before do not have it: they refuse "+
			"patches to a configuration with it. %s has it in every build.", name, t.Name, f.Since, grammar.After(f.Since))
	}
	if v.List != nil && f.Kind != grammar.RefList {
		j.errorf(&topicValue, v.At, "In %s, row %s, %s is a list, and CONFIG_DB has text there: write it in quotes, as %q.",
			t.Name, key, name, v.Text)
		return
	}
	if j.untyped[v.At] {
		return
	}
	if wrong := f.Wrong(j.release, v.Text); wrong != "" {
		j.errorf(&topicValue, v.At, "In %s, row %s, %s %s (model %s).", t.Name, key, name, wrong, t.Module)
		return
	}
	refs := []string{v.Text}
	table := "BUFFER_PROFILE"
	switch f.Kind {
	case grammar.Ref:
		table = f.Words[0]
	case grammar.RefList:
		refs = strings.Split(v.Text, ",")
	case grammar.Profile:
		if v.Text == "NULL" {
			return
		}
	default:
		return
	}
	if grammar.TableOf(table) == nil { // of a table that is not read
		return
	}
	for _, ref := range refs {
		if j.cfg.Row(table, ref) == nil {
			j.errorf(&topicRef, v.At, "In %s, row %s, %s names %q, and %s has no such row. The switch sets nothing of it, and patches are refused.",
				t.Name, key, name, ref, table)
		}
	}
}
