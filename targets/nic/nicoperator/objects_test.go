package nicoperator

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// deviceText is a NicDevice as kubectl prints it.
const deviceText = `apiVersion: configuration.net.nvidia.com/v1alpha1
kind: NicDevice
metadata:
  name: gpu001-1021-0000-04-00
  namespace: network-operator
spec:
  configuration:
    template:
      linkType: Ethernet
      numVfs: 8
      roceOptimized:
        enabled: true
        qos:
          cableLen: 5
          ecn: {enabled: true, priority: 3}
          pauseFrames:
            enabled: false
          pfc: 0,0,0,1,0,0,0,0
          tos: 104
          trust: dscp
        roceMode: 2
status:
  conditions:
  - lastTransitionTime: "2026-11-27T10:02:00Z"
    reason: UpdateSuccessful
    status: "False"
    type: ConfigUpdateInProgress
  dpu: false
  firmwareVersion: 28.42.1000
  modelName: ConnectX-7
  node: gpu001
  partNumber: MCX75310AAS-NEAT
  ports:
  - networkInterface: ens1f0
    pci: "0000:04:00.0"
    rdmaInterface: mlx5_0
  - networkInterface: ens1f1
    pci: "0000:04:00.1"
  psid: MT_0000000838
  serialNumber: MT2232T13210
  superNIC: false
  type: "1021"
`

// decided returns the values that set a field, and the wrong rows.
func decided(objects []Object) (values, wrong []string) {
	for i := range objects {
		for _, v := range objects[i].Values {
			if v.Means != ir.NoField {
				values = append(values, fmt.Sprintf("%d %s = %s", v.Line, v.Means, v.Text))
			}
		}
		for _, w := range objects[i].Wrong {
			wrong = append(wrong, fmt.Sprintf("%d %s: %s", w.Line, w.Row, w.Why))
		}
	}
	return values, wrong
}

// The table has each field once, below an object or list of the table, and each value either sets a field or has the reason why not.
func TestFields(t *testing.T) {
	require.Regexp(t, `^[0-9a-f]{40}$`, Commit)
	for kind, s := range fields() {
		assert.Equal(t, len(s.all), len(s.byPath), kind)
		for _, f := range s.all {
			around := strings.TrimSuffix(f.Path, "[]")
			if around == f.Path {
				around = f.Path[:max(strings.LastIndexByte(f.Path, '.'), 0)]
			}
			if around != "" {
				require.NotNil(t, s.byPath[around], "%s: %s", kind, f.Path)
				assert.Contains(t, []Type{Group, List}, s.byPath[around].Type, "%s: %s", kind, f.Path)
			}
			value := f.Type != Group && f.Type != List
			assert.Equal(t, value, (f.Means != ir.NoField) != (f.Aside != ""), "%s: %s", kind, f.Path)
			if f.Pattern != "" {
				_, err := regexp.Compile(f.Pattern)
				require.NoError(t, err)
			}
		}
		assert.Equal(t, Group, s.byPath[strings.TrimSuffix(s.at, ".")].Type)
	}
	assert.Len(t, fields(), 2)
}

// An object as kubectl prints it is understood completely, alone, in a list, in a document of several, and as JSON.
func TestObjects(t *testing.T) {
	indented := "- " + strings.ReplaceAll(strings.TrimSuffix(deviceText, "\n"), "\n", "\n  ") + "\n"
	list := "apiVersion: v1\nitems:\n" + indented + indented + "kind: List\nmetadata:\n  resourceVersion: \"\"\n"
	deeper := "apiVersion: v1\nkind: NicDeviceList\nitems:\n  " + strings.ReplaceAll(indented, "\n", "\n  ") + "\n"
	for name, c := range map[string]struct {
		text  string
		n     int
		first int // the line of the first value
	}{
		"alone":              {deviceText, 1, 14},
		"a list":             {list, 2, 16},
		"several documents":  {"---\n" + deviceText + "---\n# a comment\n---\n" + deviceText, 2, 15},
		"an indented list":   {deeper, 1, 17},
		"a line feed of DOS": {strings.ReplaceAll(list, "\n", "\r\n"), 2, 16},
	} {
		require.True(t, Is([]byte(c.text)), name)
		all := Objects(c.text)
		require.Len(t, all, c.n, name)
		values, wrong := decided(all[:1])
		assert.Empty(t, wrong, name)
		var want []string
		for i, v := range []string{"%d %s = 5", "%d %s = false", "%d %s = 0,0,0,1,0,0,0,0", "%d %s = 104", "%d %s = dscp"} {
			field := []ir.Field{ir.FieldCable, ir.FieldLinkPause, ir.FieldPauses, ir.FieldStamps, ir.FieldTrust}[i]
			want = append(want, fmt.Sprintf(v, c.first+[]int{0, 3, 4, 5, 6}[i], field))
		}
		assert.Equal(t, want, values, name)
		assert.Equal(t, []string{"ens1f0", "ens1f1"}, all[0].Interfaces, name)
		assert.Equal(t, "gpu001", all[0].Node, name)
	}
	json := `{"apiVersion": "v1", "items": [{"apiVersion": "configuration.net.nvidia.com/v1alpha1", "kind": "NicDevice",
		"spec": {"configuration": {"template": {"linkType": "Ethernet", "numVfs": 0, "roceOptimized": {"enabled": true}}}}}], "kind": "List"}`
	json = strings.ReplaceAll(json, "\t", " ")
	require.True(t, Is([]byte(json)))
	values, wrong := decided(Objects(json))
	assert.Empty(t, wrong)
	assert.Len(t, values, 2, "trust and PFC of the operator")
}

// A value that the schema or the operator refuses, a field that the schema lacks, and YAML that kubectl does not print are rows that are
// not understood.
func TestWrong(t *testing.T) {
	edit := func(old, now string) string {
		require.Contains(t, deviceText, old)
		return strings.Replace(deviceText, old, now, 1)
	}
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for _, c := range []struct{ name, text, want string }{
		{"an unknown field", edit("roceMode: 2", "roceModes: 2"), "21 roceModes: the schema of the operator has no such field"},
		{"a number as a string", edit("tos: 104", `tos: "104"`), "it is no number"},
		{"a string as a number", edit(`type: "1021"`, "type: 1021"), "type: 1021: it is no string"},
		{"a boolean as a string", edit("dpu: false", `dpu: "false"`), "it is no boolean"},
		{"a list as a string", edit("trust: dscp", "trust: [dscp]"), "trust: it is no string"},
		{"an object as a string", edit("pauseFrames:\n            enabled: false", "pauseFrames: off"), "it is no object"},
		{"out of range", edit("priority: 3", "priority: 8"), "priority: 8: it is out of range"},
		{"negative", edit("priority: 3", "priority: -1"), "it is out of range"},
		{"too large a number", edit("numVfs: 8", "numVfs: 99999999999999999999"), "numVfs: 99999999999999999999: it is no"},
		{"of no enumeration", edit("roceMode: 2", "roceMode: 3"), "it is not one of 1, 2"},
		{"of no pattern", edit("0,0,0,1,0,0,0,0", "0,0,0,2,0,0,0,0"), "it does not have the form that the schema wants"},
		{"a value of the operator", edit("trust: dscp", "trust: pcp"), "trust: pcp: the operator accepts only dscp and pfc"},
		{"missing", edit("          trust: dscp\n", ""), "14 qos: it has no trust"},
		{"twice", edit("numVfs: 8", "numVfs: 8\n      numVfs: 9"), "11 numVfs: the object has this field twice"},
		{"a part twice", edit("status:", "spec: {configuration: {}}\nstatus:"), "22 spec: the object has this field twice"},
		{"a part of no object", edit("status:", "<<: {spec: {}}\nstatus:"), "22 <<: the schema of the operator has no such field"},
		{
			"a label twice", "apiVersion: configuration.net.nvidia.com/v1alpha1\nkind: NicConfigurationTemplate\n" +
				"spec:\n  nodeSelector:\n    kubernetes.io/hostname: a\n    kubernetes.io/hostname: b\n",
			"6 kubernetes.io/hostname: the object has this field twice",
		},
		{"an octal number", edit("tos: 104", "tos: 0104"), "tos: 0104: it is no number that rocec reads"},
		{"a sign", edit("tos: 104", "tos: +104"), "tos: +104: it is no number that rocec reads"},
		{"a null", edit("trust: dscp", "trust: null"), "14 qos: it has no trust"},
		{"many elements", deviceText + "---\n" + strings.Repeat("- {}\n", mostIn+1), "it has more than 5000 objects"},
		{"another version", edit("v1alpha1", "v1beta1"), "1 apiVersion: configuration.net.nvidia.com/v1beta1: rocec reads only v1alpha1"},
		{"an anchor", edit("numVfs: 8", "numVfs: &n 8"), "it has an anchor or an alias"},
		{"an alias bomb", edit("numVfs: 8", "numVfs: &a [&b [x, x], *b, *b]\n      force: *a"), "it has an anchor or an alias"},
		{"a merge", edit("numVfs: 8", "<<: {numVfs: 8}"), "<<: the schema of the operator has no such field"},
		{"a tab", edit("      numVfs", "\tnumVfs"), "it is not YAML"},
		{"deep", edit("numVfs: 8", "numVfs: "+deep), "its objects are more than 24 levels deep"},
		{"large", edit("numVfs: 8", "numVfs: \""+strings.Repeat("x", mostPiece)+"\""), "it is larger than 1 MiB"},
		{
			"a profile", edit("numVfs: 8", "numVfs: 1\n      spectrumXOptimized: {enabled: true, version: RA2.1, platformType: x}"),
			"the profile of Spectrum-X",
		},
		{"no object", "apiVersion: configuration.net.nvidia.com/v1alpha1\n---\njust a text\n", "just a text: it is no object"},
		{"a template without a spec", "apiVersion: configuration.net.nvidia.com/v1alpha1\nkind: NicConfigurationTemplate\n", "it has no spec"},
		{
			"long", edit("numVfs: 8", "rawNvConfig: [{name: "+strings.Repeat("A", 65)+", value: x}]\n      numVfs: 8"),
			"it is longer than 64 characters",
		},
	} {
		_, wrong := decided(Objects(c.text))
		assert.Contains(t, strings.Join(wrong, "\n"), c.want, c.name)
	}
}

// A value without an effect in the operator sets no field.
func TestEffect(t *testing.T) {
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(deviceText) }
	for name, c := range map[string]struct {
		text string
		n    int
	}{
		"all":                {deviceText, 5},
		"InfiniBand":         {edit("linkType: Ethernet", "linkType: Infiniband"), 0},
		"not enabled":        {edit("roceOptimized:\n        enabled: true", "roceOptimized:\n        enabled: false"), 0},
		"a TOS of 0":         {edit("tos: 104", "tos: 0"), 4},
		"a cable of 0":       {edit("cableLen: 5", "cableLen: 0"), 4},
		"a trust of neither": {edit("trust: dscp", "trust: both"), 4},
		"a refused qos":      {edit("trust: dscp", "trust: [dscp]", "0,0,0,1,0,0,0,0", "1"), 3},
		"another kind":       {edit("kind: NicDevice", "kind: NicFirmwareSource"), 0},
		"another API":        {edit("configuration.net.nvidia.com/v1alpha1", "v1"), 0},
	} {
		values, _ := decided(Objects(c.text))
		assert.Len(t, values, c.n, name)
	}
}

// The objects of several nodes are divided by node. Objects without a node stay together.
func TestByNode(t *testing.T) {
	of := func(node string) string { return strings.ReplaceAll(deviceText, "node: gpu001", "node: "+node) }
	lone := "apiVersion: configuration.net.nvidia.com/v1alpha1\nkind: NicConfigurationTemplate\nspec: {nicSelector: {nicType: \"1021\"}}\n"
	by := strings.Replace(lone, "{nicSelector", "{nodeSelector: {kubernetes.io/hostname: gpu002}, nicSelector", 1)
	all := []string{of("gpu001.example.com"), of("gpu002"), lone, of("gpu001.example.com"), by, of("a.b"), of("a.c"), of("../x")}
	text := strings.Join(all, "---\n")
	parts, rest := ByNode([]byte(text))
	var got []string
	for _, p := range parts {
		got = append(got, fmt.Sprint(p.Node, " ", len(Objects(string(p.Text)))))
	}
	assert.Equal(t, []string{"gpu001 2", "gpu002 2", "a.b 1", "a.c 1"}, got)
	assert.Len(t, Objects(string(rest)), 2)
	assert.Equal(t, "---\n"+of("gpu002")+"---\n"+by, string(parts[1].Text))

	parts, rest = ByNode([]byte(deviceText + "---\n" + deviceText))
	assert.Empty(t, parts, "one node")
	assert.Empty(t, rest)
	parts, _ = ByNode([]byte(lone))
	assert.Empty(t, parts, "no node")
}

// A file with more objects than any cluster has is read only up to a limit, and the rest is a row that is not understood.
func TestManyObjects(t *testing.T) {
	text := strings.Repeat("---\n#\n", mostOf-1) + "---\n" + deviceText
	assert.Empty(t, Refuses([]byte(text)))
	values, wrong := decided(Objects(text))
	assert.Len(t, values, 5)
	assert.Empty(t, wrong)

	text += strings.Repeat("---\na\n", 1000)
	assert.Equal(t, "It has more than 50000 objects.", Refuses([]byte(text)))
	values, wrong = decided(Objects(text))
	assert.Len(t, values, 5)
	assert.Equal(t, []string{"100042 a: the file has more than 50000 objects, and rocec does not read the others"}, wrong)
}

// Reading any text ends without a panic, and each row has a line of the text.
func FuzzObjects(f *testing.F) {
	f.Add(deviceText)
	f.Add("apiVersion: v1\nitems:\n- apiVersion: configuration.net.nvidia.com/v1alpha1\n  kind: NicDevice\nkind: List\n")
	f.Add("--- {a: *b}\n...\n- \n? \n: |\n x")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 2
		for _, o := range Objects(text) {
			for _, v := range o.Values {
				if v.Line < 1 || v.Line > lines {
					t.Fatalf("line %d of %d", v.Line, lines)
				}
			}
			for _, w := range o.Wrong {
				if w.Line < 1 || w.Line > lines || w.Why == "" {
					t.Fatalf("line %d of %d: %s", w.Line, lines, w.Why)
				}
			}
		}
		ByNode([]byte(text))
	})
}
