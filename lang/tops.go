package lang

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
)

// This file has the table of top-level blocks, and the forms of their labels.

// labelKind is the form of a label.
type labelKind struct {
	first, others string // characters in addition to letters: for the first character, and for the others
	most          int    // characters
	rule          string
}

func (k labelKind) matches(name string) bool {
	allowed := k.first
	for _, c := range []byte(name) {
		if letter := 'a' <= c|0x20 && c|0x20 <= 'z'; !letter && strings.IndexByte(allowed, c) < 0 {
			return false
		}
		allowed = k.others
	}
	return name != "" && len(name) <= k.most
}

func (k labelKind) check(name string) string {
	if k.matches(name) {
		return ""
	}
	switch {
	case name == "":
		return "The label is empty. " + k.rule
	case strings.ContainsAny(name, "[]{}"):
		return fmt.Sprintf("%q stands for many names, and is not a label. Give the block one label, and write names = %[1]q in it if "+
			"it is a switch or host.",
			diag.Cut(name))
	}
	return fmt.Sprintf("%q is not a label for this block. %s", diag.Cut(name), k.rule)
}

var (
	identifier = labelKind{
		"_", "0123456789_-", 32,
		"Use 1 to 32 letters, digits, \"_\" and \"-\"; it starts with a letter or \"_\".",
	}
	anyLabel = labelKind{
		"0123456789_", "0123456789._-", 63,
		"Use 1 to 63 letters, digits, \".\", \"_\" and \"-\"; it starts with a letter, a digit or \"_\".",
	}
)

// top is a top-level block.
type top struct {
	name, label string
	single      bool
	labels      labelKind // the zero value: the label is not a name, and may be repeated
	docs        func() []BlockDoc
}

// tops has every top-level block, in the order of the manual.
func tops() []top {
	return []top{
		{"fabric", "NAME", true, anyLabel, fabricSchema.docs},
		{"cos_group", "NAME", false, identifier, cosGroupSchema.docs},
		{"roce", "NAME", false, anyLabel, roceSchema.docs},
		{"switch", "GROUP", false, anyLabel, switchSchema.docs},
		{"host", "GROUP", false, anyLabel, hostSchema.docs},
		{"link", "NAME", false, anyLabel, linkSchema.docs},
		{"mesh", "NAME", false, anyLabel, meshSchema.docs},
		{"topology", "NAME", false, anyLabel, topologySchema.docs},
		{"ssh", "", true, labelKind{}, topSSHSchema.docs},
		{"switch_model", "MODEL", false, anyLabel, switchModelSchema.docs},
		{"nic_model", "MODEL", false, anyLabel, nicModelSchema.docs},
		{"accept", "DEVICES", false, labelKind{}, acceptSchema.docs},
		{"variable", "NAME", false, identifier, variableSchema.docs},
		{"locals", "", false, labelKind{}, func() []BlockDoc {
			return []BlockDoc{{Path: "locals", Doc: "Names for values, which are used as local.NAME. The block can have any attributes, and can " +
				"be repeated."}}
		}},
		{"module", "NAME", false, identifier, func() []BlockDoc { return []BlockDoc{moduleDoc} }},
		{"output", "NAME", false, identifier, outputSchema.docs},
	}
}

func topNames() (names []string) {
	for _, t := range tops() {
		names = append(names, t.name)
	}
	return names
}

// Blocks describes every block and attribute of the language, in the order of the manual.
func Blocks() []BlockDoc {
	var out []BlockDoc
	for _, t := range tops() {
		docs := t.docs()
		docs[0].Single = t.single
		out = append(out, docs...)
	}
	return out
}

// topRows has the rows of the table of blocks by name.
var topRows = sync.OnceValue(func() map[string]top {
	rows := map[string]top{}
	for _, t := range tops() {
		rows[t.name] = t
	}
	return rows
})

func topBlock(name string) (top, bool) {
	t, ok := topRows()[name]
	return t, ok
}

// checkLabels checks the number of labels of a block: one if name is not empty, otherwise none.
func checkLabels(b *hclsyntax.Block, name string, ds *diag.List) bool {
	switch {
	case name == "" && len(b.Labels) > 0:
		badLabel.Errorf(ds, b.LabelRanges[0], "%s block has no label. Delete %q.", diag.Beginning(b.Type), diag.Cut(b.Labels[0]))
		return false
	case name != "" && len(b.Labels) == 0:
		badLabel.Errorf(ds, b.TypeRange, "%s block needs a label. Write %s \"%s\" { ... }.", diag.Beginning(b.Type), b.Type, name)
		return false
	case name != "" && len(b.Labels) > 1:
		badLabel.Errorf(ds, b.LabelRanges[1], "%s block has one label, %q. Delete the others.", diag.Beginning(b.Type), diag.Cut(b.Labels[0]))
		return false
	}
	return true
}
