package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/docs/docstest"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/lang/policy"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
)

// exampleSetting has the parts that an example needs beside its text.
type exampleSetting struct {
	ground  string            // a background of langtest or a folder of examples/; by default clos, or otherwise the first that fits
	without []string          // blocks of the background that are left out: "kind.label"
	vars    []string          // --var
	also    []string          // errors that follow from the shown error
	files   map[string]string // files in the same folder

	place   string // the file of the place, if it is not the example's file
	nowhere bool   // the finding concerns the folder, not a line
	module  string // the file of a module that is the example; the background calls its folder
	instead string // the reported code, if an earlier room refuses the example first
	afresh  bool   // the fix replaces parts of the background, as the bad example cannot be read
}

// judgeFabric runs the pipeline on the files of a folder.
func judgeFabric(t *testing.T, files map[string]string, s exampleSetting) diag.List {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	langtest.Dump(t, fsys, langtest.Vars(s.vars)...)
	return judge.Judge(t.Context(), fsys, ".", judge.Options{Lang: lang.Options{Vars: s.vars, Version: "0.13.1"}}).Diags
}

// ground returns the background of an example: the fabric, and the files beside it.
func ground(t *testing.T, s exampleSetting) (fabric string, beside map[string]string) {
	t.Helper()
	if strings.HasPrefix(s.ground, "examples/") {
		data, err := os.ReadFile(filepath.Join("../..", s.ground, langtest.FabricFile))
		require.NoError(t, err)
		return string(data), nil
	}
	files, err := langtest.Background(cmp.Or(s.ground, "clos"))
	require.NoError(t, err)
	fabric = files[langtest.FabricFile]
	delete(files, langtest.FabricFile)
	return fabric, files
}

// weave completes an excerpt from a background.
func weave(t *testing.T, excerpt, ground string, without ...string) *langtest.Woven {
	t.Helper()
	w, err := langtest.Weave(excerpt, ground, without...)
	require.NoError(t, err)
	return w
}

// judgeExcerpt completes an excerpt and judges it. It returns the diagnostics, and the completed text.
func judgeExcerpt(t *testing.T, excerpt, under string, s exampleSetting) (diag.List, *langtest.Woven) {
	t.Helper()
	w := weave(t, excerpt, under, s.without...)
	_, beside := ground(t, s)
	files := map[string]string{"fabric.hcl": w.String()}
	maps.Copy(files, beside)
	maps.Copy(files, s.files)
	if s.module != "" {
		w = weave(t, fmt.Sprintf("module \"called\" {\n  source = %q\n}\n", "./"+path.Dir(s.module)), under, s.without...)
		files["fabric.hcl"], files[s.module] = w.String(), excerpt
	}
	if strings.HasPrefix(excerpt, "graph ") || strings.HasPrefix(excerpt, "digraph ") { // a cabling file
		w = weave(t, "topology \"cabling\" {\n  format = \"ptm\"\n  file   = \"topology.dot\"\n  peer   = true\n}\n", under, "topology.cabling")
		files["fabric.hcl"], files["topology.dot"] = w.String(), excerpt
	}
	if strings.HasPrefix(excerpt, "rocec-lock ") {
		w = weave(t, "", under, s.without...)
		files["fabric.hcl"], files[lock.Name] = w.String(), excerpt
	}
	if strings.HasPrefix(excerpt, "{") { // a table of next hops
		w = weave(t, "", under, s.without...)
		files["fabric.hcl"], files["fib.json"] = w.String(), excerpt
	}
	return judgeFabric(t, files, s), w
}

// show returns the diagnostics as text, for the message of a failed test.
func show(ds diag.List) string {
	var b strings.Builder
	for _, d := range ds {
		fmt.Fprintf(&b, "%s: %s %s: %s\n", d.At, d.Severity, d.Code, d.Detail)
	}
	return b.String()
}

// gives returns "" if an excerpt has a finding of its code at its own place and no other error. Otherwise it returns the reason.
func gives(t *testing.T, code, excerpt, under string, s exampleSetting) (*langtest.Woven, string) {
	t.Helper()
	ds, w := judgeExcerpt(t, excerpt, under, s)
	found := false
	for _, d := range ds {
		switch {
		case unlisted(d):
			return w, fmt.Sprintf("docs/checks/%s.md does not say that it is reported as %s", d.Code, d.Severity)
		case d.Code != code:
			if d.Severity == diag.Error && !slices.Contains(s.also, d.Code) {
				return w, fmt.Sprintf("another error: %s: %s: %s", d.At, d.Code, d.Detail)
			}
		case s.nowhere:
			found = found || d.At.Filename == ""
		case s.module != "":
			found = found || d.At.Filename == s.module
		case s.place != "":
			found = found || d.At.Filename == s.place
		default:
			found = found || d.At.Filename == "fabric.hcl" && w.Line(d.At.Start.Byte) > 0
		}
	}
	if !found {
		return w, fmt.Sprintf("%s is not found in a line of the example:\n%s\n%s", code, excerpt, show(ds))
	}
	return w, ""
}

// requireGives fails unless an example has a finding of its code in the usual background or in another one. The example omits the parts
// that a sound fabric has, and does not name the background. requireGives returns the fabric and the background.
func requireGives(t *testing.T, code, excerpt string, s exampleSetting) (w *langtest.Woven, background string) {
	t.Helper()
	usual, _ := ground(t, s)
	w, wrong := gives(t, code, excerpt, usual, s)
	if wrong == "" {
		return w, usual
	}
	if s.ground == "" {
		for _, name := range langtest.Backgrounds() {
			in := s
			in.ground = name
			other, _ := ground(t, in)
			if w, wrong := gives(t, code, excerpt, other, in); wrong == "" {
				return w, other
			}
		}
	}
	t.Errorf("the example, completed from %s: %s", groundOf(s), wrong)
	return w, usual
}

// groundOf returns the name of an example's background.
func groundOf(s exampleSetting) string {
	if strings.HasPrefix(s.ground, "examples/") {
		return s.ground
	}
	return "lang/langtest/backgrounds/" + cmp.Or(s.ground, "clos")
}

// requireMends requires that the bad example, with the parts of the fix, has neither the code nor another error.
func requireMends(t *testing.T, code, fix, bad string, s exampleSetting) {
	t.Helper()
	ds, w := judgeExcerpt(t, fix, bad, s)
	for _, d := range ds {
		if d.Code == code || d.Severity == diag.Error && !slices.Contains(s.also, d.Code) {
			t.Errorf("the fix leaves %s: %s: %s\n%s", d.At, d.Code, d.Detail, w)
		}
	}
}

// The backgrounds are sound: they have no findings.
func TestBackgrounds(t *testing.T) {
	names := langtest.Backgrounds()
	require.NotEmpty(t, names)
	for _, name := range names {
		files, err := langtest.Background(name)
		require.NoError(t, err)
		assert.Empty(t, show(judgeFabric(t, files, exampleSetting{})), name)
	}
}

// codeFences returns the fences on the pages of codes.
func codeFences(t *testing.T) (out []docstest.Fence) {
	t.Helper()
	for _, p := range docs.Pages() {
		if p.Code == "" {
			continue
		}
		for _, f := range docstest.Fences(t, filepath.Join("../../docs", p.File)) {
			f.Code = p.Code
			out = append(out, f)
		}
	}
	return out
}

// unlisted reports whether the page of a code leaves out the severity of a finding.
func unlisted(d *diag.Diagnostic) bool {
	p := docs.OfCode(d.Code)
	return p == nil || !slices.Contains(p.Severities, d.Severity.String())
}

// requireCanonical requires that rocec fmt does not change an example.
func requireCanonical(t *testing.T, f docstest.Fence) {
	t.Helper()
	if f.Language != "hcl" {
		return
	}
	if out, ds := lang.Format("example.hcl", []byte(f.Text)); !ds.HasErrors() {
		require.Equal(t, string(out), f.Text, "rocec fmt")
	}
}

// roomsOfFabrics are the first rooms of report.Rooms, which judge a fabric without its devices.
const roomsOfFabrics = 4

// Every example in the fabric language on the page of a code has a finding of that code, with a severity that the page lists. Every fix
// on the page fixes the example.
func TestExplainExamples(t *testing.T) {
	codes, ofFabrics := map[string]bool{}, map[string]bool{}
	for i, r := range report.Rooms() {
		for _, topic := range r.Topics {
			codes[topic.Code], ofFabrics[topic.Code] = true, i < roomsOfFabrics
		}
	}
	bad, grounds := map[string]*langtest.Woven{}, map[string]string{}
	for _, f := range codeFences(t) {
		if !slices.Contains([]string{"hcl", "json", "dot", "lock"}, f.Language) || notRun[f.Code] != "" || strings.HasPrefix(f.Code, "conf-") {
			continue
		}
		t.Run(f.Code, func(t *testing.T) {
			s := exampleSettings[f.Code]
			requireCanonical(t, f)
			switch f.Heading {
			case "Example":
				require.Nil(t, bad[f.Code], "one example for a code")
				bad[f.Code], grounds[f.Code] = requireGives(t, cmp.Or(s.instead, f.Code), f.Text, s)
			case "Fix":
				require.NotNil(t, bad[f.Code], "a fix without an example")
				under := bad[f.Code].String()
				if s.afresh {
					under = grounds[f.Code]
				}
				requireMends(t, cmp.Or(s.instead, f.Code), f.Text, under, s)
			default:
				t.Errorf("line %d: an example that is neither bad nor a fix", f.Line)
			}
		})
	}
	for code := range exampleSettings {
		assert.True(t, codes[code], "settings of %s, which is not a code", code)
		assert.NotNil(t, bad[code], "settings of %s, which has no example", code)
	}
	for code, judged := range ofFabrics {
		if judged && bad[code] == nil {
			assert.Contains(t, notRun, code, "an example that is not run, without a reason")
		}
	}
}

// exampleSettings has, by code, the parts that examples need beside the usual background.
var exampleSettings = map[string]exampleSetting{
	"misplaced-block":    {module: "pod/fabric.hcl"},
	"module-cycle":       {module: "pod/rack.hcl"},
	"bad-label":          {afresh: true},
	"host-soft-roce-on":  {afresh: true},                     // the example removes an interface
	"written-by-hand":    {afresh: true},                     // the example removes the by_hand block
	"memory-by-hand":     {afresh: true},                     // this example removes it, too
	"cumulus-no-pfc":     {also: []string{"cumulus-no-ecn"}}, // the chip has neither
	"host-mixed":         {also: []string{"trust-mismatch"}}, // the switches cannot tell the two apart either
	"tier-invalid":       {instead: "out-of-range"},          // the language reports it first
	"topology-syntax":    {place: "topology.dot"},
	"topology-endpoint":  {place: "topology.dot"},
	"topology-empty":     {place: "topology.dot"},
	"topology-attribute": {place: "topology.dot"},
	"topology-device":    {place: "topology.dot", also: []string{"unknown-device"}},
	"topology-left-out": {place: "cables.csv", files: inventory(
		"leaf1,interface,swp30,leaf2,interface,swp30,connected,3m\n" +
			"leaf1,consoleport,console,term1,consoleserverport,1,connected,5m\n")},
	"topology-path": {place: "cables.csv", files: inventory("leaf1,interface,swp30,panel1,frontport,1,connected,30m\n" +
		"panel1,rearport,1,leaf2,interface,swp30,connected,\n")},
	"bad-selector":         {files: peerSheet},
	"cables-none":          {files: peerSheet},
	"cables-contradict":    {files: peerSheet, afresh: true},
	"lock-invalid":         {place: lock.Name},
	"lock-changed":         {place: lock.Name},
	"lock-incomplete":      {place: "fabric.hcl"},
	"table-unused":         {ground: "table"},
	"table-name":           {ground: "table", place: "fib.json"},
	"table-duplicate":      {ground: "table", place: "fib.json"},
	"table-port":           {ground: "table", place: "fib.json"},
	"table-invalid":        {ground: "table", place: "fib.json"},
	"table-switch-missing": {ground: "table", place: "fib.json"},
	"no-route":             {ground: "table", place: "fib.json"},
	"routing-loop":         {ground: "table", place: "fib.json"},
	"no-fabric":            {without: []string{"fabric.pod1"}, nowhere: true},
	"undeclared-variable":  {vars: []string{"leafs=8"}, place: "--var 1"},
	"bad-variable":         {vars: []string{"racks=a,b"}, place: "--var 1"},
	"syntax":               {ground: "empty", afresh: true},
	"duplicate-attribute":  {ground: "empty", afresh: true},
	"sonic-release":        {ground: sonicGround},
	"sonic-model":          {ground: sonicGround},
	"sonic-lookup":         {ground: sonicGround},
	"sonic-memory-written": {ground: sonicGround, afresh: true},
	"sonic-pause":          {ground: sonicGround},
	"sonic-trust":          {ground: sonicGround},
	"sonic-cos":            {ground: sonicGround},
	"sonic-sizes":          {ground: sonicGround},
	"sonic-marking":        {ground: sonicGround},
	"ecn-drops-unmarkable": {ground: sonicGround},
	"sonic-bounce":         {ground: sonicGround},
}

// peerSheet is the cabling file that examples of cables blocks name.
var peerSheet = map[string]string{"cables.csv": "a,b\nleaf1:swp30,leaf2:swp30\n"}

// inventory is a cable sheet in the form that inventories export, and the sheet of front ports.
func inventory(rows string) map[string]string {
	const header = "a_device,a_type,a_port,b_device,b_type,b_port,status,length\n"
	return map[string]string{"cables.csv": header + rows, "front-ports.csv": "device,name,rear_port\npanel1,1,1\n"}
}

// sonicGround is the background of examples about switches with SONiC, whose releases and ports have other names.
const sonicGround = "examples/sonic-leaf-spine"

// notRun are the codes whose examples are not a fabric, with the reason.
var notRun = map[string]string{
	"baseline-invalid": "about a file that no fabric has; package baseline tests it",

	"conf-fabric-device":     "about files beside a fabric",
	"conf-fabric-lossless":   "about files beside a fabric",
	"conf-fabric-wanted":     "about files beside a fabric",
	"conf-moments":           "several files: TestExplainSeveralFiles",
	"conf-pair-differs":      "several files: TestExplainSeveralFiles",
	"conf-switch-differs":    "several files: TestExplainSeveralFiles",
	"conf-switches-disagree": "several files: TestExplainSeveralFiles",

	"inventory-invalid": "about a file of Ansible without a fabric",
	"inventory-skipped": "about a file of Ansible without a fabric",

	"conf-unreadable": "about bytes that this manual cannot contain",
	"cumulus-file":    "about a file on a switch; no fabric contains it",

	"cumulus-memory-pool":   "about a file on a switch; no fabric contains it",
	"cumulus-memory-shared": "about a file on a switch; no fabric contains it",
	"cumulus-memory-small":  "about a file on a switch; no fabric contains it",
	"cumulus-memory-egress": "about a file on a switch; no fabric contains it",
	"cumulus-memory-marks":  "about a file on a switch; no fabric contains it",
	"cumulus-memory-unread": "about a file on a switch; no fabric contains it",

	"cumulus-other-writer":   "about programs on a switch; no fabric contains them",
	"cumulus-other-settings": "about a file on a switch; no fabric contains it",

	"nvue-bond":   "about settings on a switch; no fabric contains them",
	"nvue-pools":  "about settings on a switch; no fabric contains them",
	"nvue-beside": "about settings on a switch; no fabric contains them",
	"nvue-preset": "about settings on a switch; no fabric contains them",
	"nvue-tree":   "about settings on a switch; no fabric contains them",

	"sonic-admin-status": "about settings on a switch; no fabric contains them",
	"sonic-cable":        "about settings on a switch; no fabric contains them",
	"sonic-chips":        "about settings on a switch; no fabric contains them",
	"sonic-config":       "about settings on a switch; no fabric contains them",
	"sonic-image":        "about settings on a switch; no fabric contains them",
	"sonic-patch":        "about settings on a switch; no fabric contains them",
	"sonic-pool":         "about settings on a switch; no fabric contains them",
	"sonic-port":         "about settings on a switch; no fabric contains them",

	"cumulus-port":       "no model has such ports: unknown-port comes first",
	"host-sender":        "about programs of a host; no fabric contains them",
	"host-setting":       "about abilities of a host; no fabric contains them",
	"invalid-utf8":       "about bytes that this manual cannot contain",
	"table-too-large":    "33 million entries",
	"topology-too-large": "a file of 16 MiB",
	"unreadable":         "about files, not their contents",
}

// confGrounds are the sound files, below the test data of conflint, that complete an excerpt of a traffic.conf; by default that is
// t1.conf. The test removes their lines with a key of the excerpt, even if the excerpt has the key only in a comment.
var confGrounds = map[string]string{
	"conf-bandwidth":        "t4.conf",
	"conf-dialect":          "",
	"conf-egress-limited":   "../conf-egress-limited/good",
	"conf-lossless-default": "t4.conf",
	"conf-pools":            "q1",
	"conf-red-lossless":     "t4.conf",
	"conf-shaper":           "t4.conf",
	"conf-throttled":        "t4.conf",
	"conf-cnp-bulk":         "t4.conf",
	"conf-two-schedulers":   "t3-ports.conf",
	"conf-two-trusts":       "t4.conf",
	"conf-value-twice":      "t4.conf",
	"conf-value-unmapped":   "t4.conf",
	"conf-watchdog":         "../conf-watchdog/good.conf",
}

var confKey = regexp.MustCompile(`(?m)^[# ]*([a-z_0-9-]+(?:\.[A-Za-z0-9_-]+)+|cut_through_enable)\b`)

// completeConf completes an excerpt of a file from a sound file. The excerpt comes first.
func completeConf(excerpt, sound string) string {
	said := map[string]bool{}
	for _, m := range confKey.FindAllStringSubmatch(excerpt, -1) {
		said[m[1]] = true
	}
	var b strings.Builder
	for line := range strings.Lines(sound) {
		if m := confKey.FindStringSubmatch(line); m == nil || !said[m[1]] {
			b.WriteString(strings.TrimRight(line, "\n") + "\n")
		}
	}
	return excerpt + b.String()
}

// promptNVUE is the line above the commands of a whole tree, and soundNVUE has the commands of a sound tree.
const (
	promptNVUE = "cumulus@leaf01:~$ nv config show -o commands\n"
	soundNVUE  = `nv set qos congestion-control default-global traffic-class 3 ecn enable
nv set qos mapping default-global dscp 26 switch-priority 3
nv set qos mapping default-global trust l3
nv set qos pfc default-global cable-length 10
nv set qos pfc default-global switch-priority 3
nv set qos traffic-pool default-lossless memory-percent 50
nv set qos traffic-pool default-lossy memory-percent 50
`
)

// completeNVUE completes an excerpt of the commands of a tree. A path in the excerpt may have another value.
func completeNVUE(excerpt string) string {
	var text strings.Builder
	text.WriteString(promptNVUE + excerpt)
	for line := range strings.Lines(soundNVUE) {
		if path := line[:strings.LastIndexByte(line, ' ')+1]; !strings.Contains(excerpt, path) {
			text.WriteString(line)
		}
	}
	return text.String()
}

// Every example of a file on a switch also has a finding of its code, and every fix removes the finding. A heading below Example and Fix
// names the system of a further example.
func TestExplainConfExamples(t *testing.T) {
	bad := map[string]string{}
	for _, f := range codeFences(t) {
		whole := f.Language == "yaml" || f.Language == "json" || f.Options != "" // a fence names its file, unless the file is traffic.conf
		if f.Language != "ini" && !whole || !strings.HasPrefix(f.Code, "conf-") {
			continue
		}
		system := strings.TrimPrefix(f.Heading, f.Section) // empty: the system of the first example
		t.Run(f.Code+system, func(t *testing.T) {
			base, ok := confGrounds[f.Code]
			switch {
			case whole:
				base = ""
			case !ok:
				base = "t1.conf"
			}
			name, files := "traffic.conf", []lint.File{}
			const sound = "../../targets/cumulus/conflint/testdata/sound"
			under := ""
			switch {
			case strings.HasSuffix(base, ".conf"):
				data, err := os.ReadFile(filepath.Join(sound, base))
				require.NoError(t, err)
				under = string(data)
				if strings.Contains(under, "default_ecn_red_conf") {
					name = "qos_features.conf"
				}
			case base != "":
				all := []string{"qos_features.conf", "qos_infra.conf"}
				if _, err := os.Stat(filepath.Join(sound, base, "datapath.conf")); err == nil {
					all = []string{"traffic.conf", "datapath.conf"}
				}
				name = all[0]
				if strings.Contains(f.Text, "service_pool") {
					name = all[1]
				}
				for _, file := range all {
					data, err := os.ReadFile(filepath.Join(sound, base, file))
					require.NoError(t, err)
					if file == name {
						under = string(data)
					} else {
						files = append(files, lint.File{Name: file, Data: data})
					}
				}
			}
			if f.Section != "Example" {
				require.Contains(t, bad, f.Code+system)
				if !whole {
					under = bad[f.Code+system]
				}
			}
			if f.Language == "json" {
				name = "config_db.json"
			}
			if f.Options != "" {
				name = f.Options
			}
			text, ends := completeConf(f.Text, under), len(f.Text)
			if strings.HasSuffix(name, ".nv") {
				text, ends = completeNVUE(f.Text), len(promptNVUE)+len(f.Text)
			}
			files = append(files, lint.File{Name: name, Data: []byte(text)})
			ds := targets.JudgeFiles(files).Diagnostics
			found := slices.ContainsFunc(ds, func(d *diag.Diagnostic) bool {
				return d.Code == f.Code && d.At.Filename == name && d.At.Start.Byte < ends
			})
			for _, d := range ds {
				require.False(t, unlisted(d), "docs/checks/%s.md does not say that it is reported as %s", d.Code, d.Severity)
				asked := f.Section == "Example" && d.Code == f.Code || d.Code == lint.Unjudged.Code
				strict := f.Language == "json" || strings.HasSuffix(name, ".nv")
				require.False(t, strict && !asked, "beside %s: %s", f.Code, show(ds))
			}
			if f.Section == "Example" {
				bad[f.Code+system] = text
				require.True(t, found, "%s is not found in a line of the example:\n%s\n%s", f.Code, f.Text, show(ds))
			} else {
				for _, d := range ds {
					require.NotEqual(t, f.Code, d.Code, "the fix leaves it:\n%s", show(ds))
				}
			}
		})
	}
	for _, topic := range targets.FileTopics() {
		if bad[topic.Code] == "" {
			assert.Contains(t, notRun, topic.Code, topic.Code+": an example that is not run, without a reason")
		}
	}
}

// givesCode matches the comment on the line of the mistake, in an example with an intended mistake.
var givesCode = regexp.MustCompile(`# gives ([a-z0-9-]+)`)

// moduleFile matches the first line of an example that is a file of a module.
var moduleFile = regexp.MustCompile(`\A# ([a-z0-9-]+/[a-z0-9-]+\.hcl)\n`)

// The test runs every example of the manuals in the fabric language. It completes the example from a background: clos by default, or the
// name after the language in the fence ("```hcl rack"). This may be a folder of examples/, or no background ("```hcl alone"). An example
// whose first line is a comment with the name of a file in a folder becomes that file. This file, and cabling files (dot, yaml, csv),
// belong to the other examples under the same heading. A good example has no error and no warning. An example with "# gives CODE" has
// that error on that line.
func TestManualExamples(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, name := range append(files, "../../README.md") {
		all := docstest.Fences(t, name)
		beside := map[string]map[string]string{} // by heading and file
		for _, f := range all {
			if beside[f.Heading] == nil {
				beside[f.Heading] = map[string]string{}
			}
			file := map[string]string{"dot": "topology.dot", "yaml": "lab.clab.yml", "csv": "cables.csv"}[f.Language]
			if f.Language == "csv" {
				file = cmp.Or(f.Options, file)
			}
			if m := moduleFile.FindStringSubmatch(f.Text); m != nil {
				file = m[1]
			}
			if file != "" {
				beside[f.Heading][file] = f.Text
			}
		}
		for _, f := range all {
			if f.Language != "hcl" || moduleFile.MatchString(f.Text) || f.IsFile() { // a file of a page that is run
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(name), f.Line), func(t *testing.T) {
				requireCanonical(t, f)
				if f.Options == "policy" { // a file of a site, and no fabric
					_, ds := policy.Read("policy.hcl", []byte(f.Text), []string{"--skip-cabling-check", "--assume-peer-ready"})
					require.Empty(t, ds)
					return
				}
				s := exampleSetting{ground: f.Options}
				files := maps.Clone(beside[f.Heading])
				under := ""
				if f.Options != "alone" {
					var besideIt map[string]string
					under, besideIt = ground(t, s)
					maps.Copy(files, besideIt)
				}
				w := weave(t, f.Text, under)
				files["fabric.hcl"] = w.String()
				ds := judgeFabric(t, files, s)
				if m := givesCode.FindStringSubmatch(f.Text); m != nil {
					at := strings.Index(w.String(), m[0])
					at = strings.Count(w.String()[:at], "\n") + 1
					ds = slices.DeleteFunc(ds, func(d *diag.Diagnostic) bool { return d.Severity == diag.Notice })
					require.Len(t, ds, 1, show(ds))
					require.Equal(t, m[1], ds[0].Code, show(ds))
					require.Equal(t, at, ds[0].At.Start.Line, show(ds))
					return
				}
				for _, d := range ds {
					if d.Severity != diag.Notice {
						t.Errorf("line %d: %s: %s %s: %s\n%s", f.Line, d.At, d.Severity, d.Code, d.Detail, w.String())
					}
				}
			})
		}
	}
}
