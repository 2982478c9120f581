// Package lint checks a configuration of SONiC without a fabric (a [Judgement]). It reads a config_db.json, the output of `sonic-cfggen -d
// --print-data`, dumps of a database, lists of operations, and pieces of these.
//
// The input is a file, the output diagnostics at its lines. The rules check only tables of QoS and buffers. If neither a model
// nor code of a release answers a question, the finding is a warning at most.
package lint

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/read"
	"github.com/rocec/rocec/targets/target/lint"
)

// Judgement contains the findings of the rules in a file.
type Judgement struct {
	Diagnostics diag.List
	Dialect     string // the form of the file, its release, and whether it is a part of a configuration
	Why         string // why no rule has checked the file, or a part; empty if all is checked
	Silent      bool   // no diagnostic has the reason in Why
	Plain       bool   // the rules have checked the whole file, and its switch has no RoCE configuration
}

// Judge checks a file by the models of a release. If the release is 0, Judge uses the one in the file, or the newest that rocec knows. A
// file may have any form that [read.Load] reads. Each row that is unreadable because of a slip is one finding, and the rest is checked.
//
// An empty file, or one of white space alone, is an error: a switch that boots with it has no ports.
//
// known is the release of the switch, for a file that states none; 0: unknown.
func Judge(name string, data []byte, r, known grammar.Release) Judgement {
	data = bytes.TrimPrefix(data, []byte(lint.ByteOrderMark)) // the bytes of a place do not count the mark
	j := &judge{name: name, release: r, file: true}
	unread := func(why, format string, args ...any) Judgement {
		j.found.Report(diag.Error, &topicText, grammar.NewLines(data).Range(name, 0), format, args...)
		return Judgement{Diagnostics: j.found.List, Dialect: dialect(nil), Why: why}
	}
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return unread(lint.Empty, "The file is empty, so it is not JSON: it was never written, or it was truncated. Write it again, on a "+
			"switch with `config save -y`.")
	case len(data) > grammar.MaxSize:
		return unread(lint.Unread, "The file cannot be read as a configuration: It is larger than 64 MiB, and the configuration of a large "+
			"switch has less than 4 MiB.")
	}
	j.text = read.Load(data)
	if j.text.Release == 0 {
		j.text.Release = known
	}
	j.written, j.running = j.text.Config, j.text.Running
	j.cfg = grammar.Spread(j.written)
	f := Judgement{Dialect: dialect(j.text), Why: j.unjudged()}
	switch {
	case f.Why != "":
	case ends(j):
		f.Dialect += "; a part, without its end"
	case !whole(j):
		f.Dialect += "; a part, without DEVICE_METADATA|localhost"
	}
	j.slips(f.Why == "")
	if f.Why != lint.Unread {
		j.all()
	}
	f.Diagnostics = j.found.Close()
	f.Silent = f.Why != "" && f.Why != lint.Unread && len(j.cfg.Tables)+len(j.cfg.Others) > 0
	f.Plain = f.Why == "" && j.plain()
	return f
}

// dialect describes a text by its form and its release; nil: the text was not read.
func dialect(t *read.Text) string {
	if t == nil {
		t = &read.Text{Form: configFile}
	}
	if t.Release != 0 {
		return t.Form + " of SONiC " + t.Release.String()
	}
	return t.Form + " of SONiC, by the models of " + grammar.Newest.String()
}

// unjudged explains why no rule has checked a file, or a part; empty if the rules have checked everything.
func (j *judge) unjudged() string {
	for name, section := range j.cfg.Tables {
		if !j.text.Full && (name == "PORT" && len(section.Rows) > 0 || !grammar.TableOf(name).Beside) {
			return ""
		}
	}
	if len(j.text.Slips) > 0 {
		return lint.Unread
	}
	return "it has no table of ports, QoS or buffers"
}

// plain reports whether a file describes the ports of a switch, and has no pause, marking or headroom.
func (j *judge) plain() bool {
	if j.cfg == nil || len(j.keys("PORT")) == 0 {
		return false
	}
	for _, of := range [][2]string{
		{"PORT_QOS_MAP", "pfc_enable"}, {"QUEUE", "wred_profile"}, {"BUFFER_PROFILE", "xoff"}, {"PFC_WD", "action"},
	} {
		for _, key := range j.keys(of[0]) {
			if j.cfg.Get(of[0], key, of[1]) != "" {
				return false
			}
		}
	}
	return true
}

// CheckRows is [Judge] for a state, in the form that [grammar.Config.Rows] writes.
func CheckRows(name string, data []byte, r grammar.Release) diag.List {
	j := &judge{name: name, release: r, running: true}
	cfg, err := grammar.ReadRows(data)
	if err != nil {
		at, text := 0, err.Error()
		if e, ok := errors.AsType[*grammar.Error](err); ok {
			at, text = e.At, e.Text
		}
		j.found.Report(diag.Error, &topicText, grammar.NewLines(data).Range(name, at), "The file cannot be read as a configuration: %s",
			diag.Escape(text))
		return j.found.List
	}
	j.written, j.cfg, j.text = cfg, grammar.Spread(cfg), &read.Text{Release: grammar.ReleaseOf(cfg), Old: -1}
	j.all()
	return j.found.Close()
}

// all runs all checks.
func (j *judge) all() {
	j.told = map[string]bool{}
	if j.release == 0 {
		if j.release = j.text.Release; j.release == 0 {
			j.release = grammar.Newest
		}
	}
	j.made()
	j.problems()
	j.brackets()
	j.others()
	j.version()
	j.fields()
	j.same()
	j.ports()
	j.buffers()
	j.lookups()
	j.watchdogs()
	j.profiles()
}

// problems reports the findings of the reader. If a value is not text, and its text would be invalid too, it is one finding.
func (j *judge) problems() {
	j.untyped = map[int]bool{}
	for _, p := range j.cfg.Found {
		if p.Twice {
			j.errorf(&topicTwice, p.At, "%s", p.Says).Note(grammar.Range(j.cfg, j.name, p.And), "The other row.")
			continue
		}
		if j.lost[p.Table+"|"+p.Row] {
			continue
		}
		also := ""
		if f, _ := grammar.TableOf(p.Table).Field(j.release, p.Field); f != nil {
			if wrong := f.Wrong(j.release, j.cfg.Get(p.Table, p.Row, p.Field)); wrong != "" {
				also = fmt.Sprintf(" In addition, %s %s (model %s).", p.Field, wrong, grammar.TableOf(p.Table).Module)
			}
		}
		j.untyped[p.At] = true
		j.errorf(&topicValue, p.At, "In %s, row %s, %s%s", p.Table, p.Row, p.Says, also)
	}
}

// version warns of an unknown release in a file, and names the release whose models are used.
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
	j.warnf(&topicValue, v.At, "VERSION is %q, and rocec knows %s. rocec checks the file by the models of %s: fields and ranges of another "+
		"release may differ.", v.Text, diag.And(known), j.release)
}

// judged returns the tables of a configuration that are checked.
func judged(c *grammar.Config) []*grammar.Table {
	var out []*grammar.Table
	for i := range grammar.Tables {
		if t := &grammar.Tables[i]; c.Tables[t.Name] != nil {
			out = append(out, t)
		}
	}
	return out
}

// fields checks rows against the table of fields, and references against the existing rows.
func (j *judge) fields() {
	if j.file && len(j.written.Tables) == 0 && len(j.written.Others) == 0 {
		j.warnf(&topicEmpty, 0, "The configuration has no table at all, so there is nothing to check. A switch that boots with it has no port.")
	}
	for _, t := range judged(j.written) {
		section := j.written.Tables[t.Name]
		if len(section.Rows) == 0 && !t.Beside && !ends(j) {
			j.errorf(&topicEmpty, section.At, "The table %s is empty. CONFIG_DB has no empty table, and `config apply-patch` refuses a "+
				"configuration with one. Leave the table out.", t.Name)
		}
		keys := j.keys(t.Name)
		if section != j.cfg.Tables[t.Name] {
			keys = j.written.Keys(t.Name)
		}
		for _, key := range keys {
			row := section.Rows[key]
			if j.lost[t.Name+"|"+key] {
				continue
			}
			j.key(t, key, row)
			for _, name := range row.Names() {
				j.field(t, key, name, row.Fields[name])
			}
		}
	}
}

// key checks the key of a row.
func (j *judge) key(t *grammar.Table, key string, row *grammar.Row) {
	ports := key
	switch t.Key {
	case grammar.NameKey:
		if t.Module != "sonic-scheduler" && !strings.HasPrefix(t.Module, "sonic-buffer") && !grammar.IsName(key) {
			j.errorf(&topicValue, row.At, "%s has a row %s. A name begins with a letter or a digit. Letters, digits, - and _ may follow. It has at "+
				"most 32 characters.", t.Name, key)
		}
		return
	case grammar.PortRangeKey:
		parts := strings.Split(key, "|")
		if len(parts) == 4 { // a switch of several chips in one chassis
			return
		}
		_, _, ok := grammar.ParseRange(parts[len(parts)-1])
		if len(parts) != 2 || !ok {
			j.errorf(&topicValue, row.At, "%s has a row %s. Its key must be a port with a number or a range, such as Ethernet0|3-4.",
				t.Name, key)
			return
		}
		if _, last, _ := grammar.ParseRange(parts[1]); t.Name == "BUFFER_PG" && last > 7 {
			j.errorf(&topicValue, row.At, "BUFFER_PG has a row %s. A port has the priority groups 0 to 7.", key)
			return
		}
		ports = parts[0]
	case grammar.PortKey:
		if slices.Contains(t.Fixed, key) {
			return
		}
	default:
		return
	}
	known := j.cfg.Tables["PORT"]
	if t.Name == "PORT" || known == nil || strings.Count(ports, ",") >= grammar.MaxListed {
		return
	}
	gone := slices.DeleteFunc(grammar.Listed(ports), func(port string) bool { return known.Rows[port] != nil || port == "CPU" })
	if len(gone) > 0 {
		j.errorf(&topicRef, row.At, "%s has a row of %s, and PORT has no such port. Patches are refused while the row is there.",
			t.Name, diag.Some(gone, 8))
	}
}

func (j *judge) field(t *grammar.Table, key, name string, v grammar.Value) {
	f, other := t.Field(j.release, name)
	switch {
	case f == nil && other != nil && other.Since > j.release:
		j.errorf(&topicField, v.At, "%s of %s exists from %s on, and this is %s. A patch to a configuration with this field is "+
			"refused.", name, t.Name, other.Since, j.release)
		return
	case f == nil && t.Fields[0].Name == "<n>":
		j.errorf(&topicField, v.At, "%s has the numbers 0 to %d, and row %s has %q. A patch to a configuration with this row is refused.",
			t.Name, t.Fields[0].Keys, key, name)
		return
	case f == nil:
		if t.Name != "PORT" && t.Name != "DEVICE_METADATA" && t.Name != "VERSIONS" {
			j.warnf(&topicField, v.At, "No model of %s has the field %s of %s, row %s. If the name is a slip, the field has no "+
				"effect, and patches are refused.%s",
				j.release, name, t.Name, key, diag.DidYouMean(name, fieldNames(t, j.release)))
		}
		return
	}
	if f.Late && f.Since == j.release && j.once("late", t.Name, f.Name) {
		j.warnf(&topicField, v.At, "%s of %s was added in the middle of %s, and earlier builds of that branch refuse "+
			"patches to a configuration with this field. In %s every build has it.", name, t.Name, f.Since, grammar.After(f.Since))
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
	if grammar.TableOf(table) == nil { // a reference to a table that rocec does not read
		return
	}
	for _, ref := range refs {
		switch {
		case j.cfg.Row(table, ref) != nil:
		case elsewhere(j, table, ref):
			if j.once("elsewhere", table, ref) {
				j.say(&topicRef, diag.Notice, v.At, "In %s, row %s, %s names %q. The patch does not make this row of %s: the switch must already "+
					"have it.", []any{t.Name, key, name, ref, table})
			}
		case ends(j): // the truncated part may have the row
		case !whole(j) && j.cfg.Tables[table] == nil:
			j.warnf(&topicRef, v.At, "In %s, row %s, %s names %q, and the file has no table %s. The file is a part of a configuration. If the "+
				"switch has no such row either, the field has no effect.", t.Name, key, name, ref, table)
		default:
			j.errorf(&topicRef, v.At, "In %s, row %s, %s names %q, and %s has no such row. The switch ignores the field, and refuses patches.",
				t.Name, key, name, ref, table)
		}
	}
}
