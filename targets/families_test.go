package targets_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/nic/mlx5"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/sender"
)

var update = flag.Bool("update", false, "write the table of families into docs/hosts.md")

// The states of a capability in a family. A capability that rocec judges has a field in which it compares a host that others set.
const (
	isWritten  = "written"
	isCompared = "compared"
	isJudged   = "judged"
	isNot      = "no"
)

// capabilities are the rows of the table of families, with their keys in value files.
var capabilities = []struct {
	name     string
	keys     []string
	compared bool // the network configuration of the host sets it
}{
	{"PFC by priority", []string{"pfc"}, false},
	{"link pause", []string{"pause"}, false},
	{"priority by DSCP", []string{"trust", "dscp_prioN"}, false},
	{"priority by PCP", []string{"vlan", "vlan_map"}, false},
	{"classes and shares", []string{"ets_bw", "ets_tc", "ets_tsa"}, false},
	{"who decides (DCBX)", []string{"dcbx"}, false},
	{"version of RDMA-CM", []string{"roce_mode"}, false},
	{"mark of RDMA-CM", []string{"tos"}, false},
	{"mark without RDMA-CM", []string{"traffic_class"}, false},
	{"marks by address", []string{"traffic_rules"}, false},
	{"TTL", []string{"ttl"}, false},
	{"DCQCN by priority", []string{"ecn_np_prioN", "ecn_rp_prioN"}, false},
	{"mark of CNPs", []string{"cnp_dscp", "cnp_prio"}, false},
	{"parameters of DCQCN", []string{"dcqcn_NAME"}, false},
	{"stall prevention", []string{"stall_prevention"}, false},
	{"parameters that the card stores", []string{"nvram_NAME"}, false},
	{"cable length", []string{"cable"}, false},
	{"RoCE of a function", []string{"roce"}, false},
	{"VLAN interface", []string{"create_vlan", "vlan_ip"}, false},
	{"MTU", []string{"mtu"}, true},
	{"bond", []string{"bond"}, true},
}

// reported are keys of value files that no host of the family has: plan reports their effect.
var reported = map[string]string{"rxe": "traffic_class", "bnxt": "traffic_class", "ice": "traffic_class"}

// withField returns the keys of capabilities about which rocec can compare hosts that others set: those that set a field which tools print
// for the NICs of any driver.
func withField() map[string]bool {
	m := map[string]bool{}
	for _, r := range mlx5.Rows() {
		m[byPriority(r.Key)] = r.Means != ir.NoField && !slices.Contains([]string{"cable", "traffic_class", "traffic_rules"}, r.Key)
	}
	return m
}

// parameter matches a key of a parameter by the name of a driver, and a key of one priority.
var parameter = regexp.MustCompile(`^(dcqcn|nvram)_.*|prio\d$`)

// byPriority replaces the priority or the name of a parameter in a key.
func byPriority(key string) string {
	return parameter.ReplaceAllStringFunc(key, func(found string) string {
		if kind, _, is := strings.Cut(found, "_"); is {
			return kind + "_NAME"
		}
		return "prioN"
	})
}

// nicFamily is a column of the table.
type nicFamily struct {
	name string
	keys []string // of its value file; nil: rocec writes none
}

func nicFamilies() (out []nicFamily) {
	for _, t := range targets.All {
		if t.Driver == nil {
			continue
		}
		f := nicFamily{name: t.Name}
		if t.Keys != nil {
			for _, k := range t.Keys() {
				if k = byPriority(k); !slices.Contains(f.keys, k) && reported[t.Name] != k {
					f.keys = append(f.keys, k)
				}
			}
		}
		out = append(out, f)
	}
	return out
}

// state returns the cell of a capability in a column.
func (f *nicFamily) state(keys []string, compares bool) string {
	var lacks []string
	for _, k := range keys {
		if !slices.Contains(f.keys, k) {
			lacks = append(lacks, k)
		}
	}
	switch field := withField(); {
	case f.keys == nil && slices.ContainsFunc(keys, func(k string) bool { return field[k] }):
		return isJudged
	case len(lacks) == len(keys):
		return isNot
	case compares:
		return isCompared
	case len(lacks) > 0:
		return isWritten + " without " + keysText(lacks)
	}
	return isWritten
}

func keysText(keys []string) string { return "`" + strings.Join(keys, "`, `") + "`" }

// tableOfFamilies returns the generated table.
func tableOfFamilies() string {
	all := nicFamilies()
	var b strings.Builder
	b.WriteString("| capability | keys |")
	for _, f := range all {
		b.WriteString(" " + f.name + " |")
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(all)) + "\n")
	known := []string{"should"} // it lists optional keys
	for _, c := range capabilities {
		known = append(known, c.keys...)
		fmt.Fprintf(&b, "| %s | %s |", c.name, keysText(c.keys))
		for _, f := range all {
			b.WriteString(" " + f.state(c.keys, c.compared) + " |")
		}
		b.WriteByte('\n')
	}
	b.WriteString("| further keys of the family | |")
	for _, f := range all {
		further := slices.DeleteFunc(slices.Clone(f.keys), func(k string) bool { return slices.Contains(known, k) })
		if cell := "-"; len(further) == 0 {
			b.WriteString(" " + cell + " |")
		} else {
			b.WriteString(" " + keysText(further) + " |")
		}
	}
	return b.String() + "\n"
}

// tableOfSenders returns the generated table of the settings that mark the packets of each sender. Families with the same row share it.
func tableOfSenders() string {
	var b strings.Builder
	b.WriteString("| packets of | families | setting | set by | read by `verify` | not known | source |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, kind := range sender.Kinds {
		var rows []string
		families, sources := map[string][]string{}, map[string][]string{}
		for _, t := range targets.All {
			for _, m := range markingsOf(t) {
				if m.Kind != kind {
					continue
				}
				row := fmt.Sprintf("%s | %s | %s | %s", m.Setting, cmp.Or(m.By, "-"), cmp.Or(m.Read, "-"), cmp.Or(m.Unknown, "-"))
				if families[row] == nil {
					rows = append(rows, row)
				}
				families[row] = append(families[row], t.Name)
				if !slices.Contains(sources[row], m.Source) {
					sources[row] = append(sources[row], m.Source)
				}
			}
		}
		for _, row := range rows {
			of := strings.Join(families[row], ", ")
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", kind.Title(), of, row, strings.Join(sources[row], "; "))
		}
	}
	return b.String()
}

func markingsOf(t *target.Target) []sender.Marking {
	if t.Markings == nil {
		return nil
	}
	return t.Markings()
}

// TestMarkings: every family of NICs states for each sender which setting marks its packets, with a source. A row is read back, or states
// what is not known, or the driver has no such sender.
func TestMarkings(t *testing.T) {
	for _, one := range targets.All {
		if one.Driver == nil {
			assert.Nil(t, one.Markings, one.Name)
			continue
		}
		var senders []sender.Kind
		for _, m := range one.Markings() {
			at := one.Name + ": " + string(m.Kind)
			senders = append(senders, m.Kind)
			assert.NotEmpty(t, m.Setting, at)
			assert.NotEmpty(t, m.Source, at)
			if m.By == "" {
				assert.Empty(t, m.Read+m.Unknown+m.Pairs, at)
			} else {
				assert.NotEmpty(t, m.Read+m.Unknown, at)
			}
			if m.Pairs != "" {
				assert.NotEqual(t, sender.CM, m.Kind, at)
			}
			for key := range strings.FieldsFuncSeq(m.Read, func(r rune) bool { return r == '`' || r == ',' || r == ' ' }) {
				if m.Kind == sender.CM || m.Kind == sender.Verbs {
					assert.Contains(t, one.Keys(), key, "%s is read back by a key of the value file", at)
				}
			}
		}
		assert.Equal(t, sender.Kinds, senders, one.Name)
	}
}

// generated returns the text before, in and after the generated part of a page.
func generated(t *testing.T, page, from, to string) (before, part, after string) {
	before, rest, ok := strings.Cut(page, from)
	require.True(t, ok, from)
	part, after, ok = strings.Cut(rest, to)
	require.True(t, ok, to)
	return before + from, part, to + after
}

// TestTableOfFamilies: docs/hosts.md has, for each family and capability, whether rocec writes, compares or judges it, made from the keys
// of the families' value files, and the table of senders. Each other cell has a reason with a source, and each reason is about such a cell.
func TestTableOfFamilies(t *testing.T) {
	const file = "../docs/hosts.md"
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	before, senders, rest := generated(t, string(page), "<!-- senders: generated -->\n", "<!-- end of senders -->\n")
	between, table, after := generated(t, rest, "<!-- families: generated -->\n", "<!-- end of families -->\n")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(before+tableOfSenders()+between+tableOfFamilies()+after), 0o644))
		return
	}
	assert.Equal(t, tableOfSenders(), senders, "go test ./targets -run TestTableOfFamilies -update")
	assert.Equal(t, tableOfFamilies(), table, "go test ./targets -run TestTableOfFamilies -update")

	reasons, end, ok := strings.Cut(after, "\n### ")
	require.True(t, ok, end)
	open := map[string]bool{} // cells without a reason
	for _, f := range nicFamilies() {
		for _, c := range capabilities {
			if s := f.state(c.keys, c.compared); s != isWritten && s != isCompared {
				open[f.name+": "+c.name] = true
			}
		}
	}
	cells, explained := len(open), map[string]bool{}
	for line := range strings.Lines(reasons) {
		row := strings.Split(line, "|")
		if len(row) != 6 || strings.TrimSpace(row[1]) == "family" || strings.Contains(row[1], "---") {
			continue
		}
		for name := range strings.SplitSeq(row[1], ",") {
			for c := range strings.SplitSeq(row[2], ",") {
				about := false
				for cell := range open {
					family, capability, _ := strings.Cut(cell, ": ")
					if family == strings.TrimSpace(name) && (capability == strings.TrimSpace(c) || strings.TrimSpace(c) == "all") {
						explained[cell], about = true, true
					}
				}
				assert.True(t, about, "a reason about %s: %s, which is no open cell", strings.TrimSpace(name), strings.TrimSpace(c))
			}
		}
		assert.NotEmpty(t, strings.TrimSpace(row[3]), line)
		assert.NotEmpty(t, strings.TrimSpace(row[4]), "a source: %s", line)
	}
	for cell := range open {
		assert.True(t, explained[cell], "docs/hosts.md has no reason for %s", cell)
	}
	assert.Positive(t, cells)
}

// TestQuestionsAboutNICs: docs/hosts-check.md answers eleven public questions. Each has the source, the command of rocec, the command by
// hand and what right looks like. Tables by family name known families, and those about PFC and DSCP name all that have such settings.
func TestQuestionsAboutNICs(t *testing.T) {
	page, err := os.ReadFile("../docs/hosts-check.md")
	require.NoError(t, err)
	parts := strings.Split(string(page), "\n## ")[1:]
	require.True(t, strings.HasPrefix(parts[0], "In a minute\n"), "the way to the answers comes first")
	parts = parts[1:]
	require.Len(t, parts, 11)
	var names []string
	for _, f := range nicFamilies() {
		names = append(names, f.name)
	}
	for i, part := range parts {
		assert.True(t, strings.HasPrefix(part, fmt.Sprintf("%d. ", i+1)), part)
		assert.Contains(t, part, "](https://github.com/", "the source of question %d", i+1)
		assert.Regexp(t, "\nrocec: (`rocec |the same\\.)", part, "question %d", i+1)
		assert.Regexp(t, `(?i)by hand`, part)
		assert.Regexp(t, `(?i)right`, part)
		var named []string
		for line := range strings.Lines(part) {
			cells := strings.Split(line, "|")
			if len(cells) < 5 || strings.Contains(line, "---") || strings.TrimSpace(cells[1]) == "family" {
				continue
			}
			for name := range strings.SplitSeq(cells[1], ",") {
				name, _, _ = strings.Cut(strings.TrimSpace(name), " with ")
				if strings.HasPrefix(name, "all") {
					continue
				}
				assert.Contains(t, names, name)
				named = append(named, name)
			}
		}
		if strings.Contains(part, "lossless?") {
			assert.ElementsMatch(t, names, named)
		}
	}
}
