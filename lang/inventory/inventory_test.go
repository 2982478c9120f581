package inventory

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

// lines returns hosts as text, one in a line: leaf1 192.0.2.1 user:port groups.
func lines(inv *Inventory) (out []string) {
	if inv == nil {
		return nil
	}
	for _, h := range inv.Hosts {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s:%d %s", h.Name, h.Address, h.User, h.Port, strings.Join(h.Groups, ","))))
	}
	return out
}

func said(ds diag.List) (out []string) {
	for _, d := range ds {
		out = append(out, fmt.Sprintf("%d %s: %s", d.At.Start.Line, d.Code, d.Detail))
	}
	return out
}

// The three formats, and the precedence of variables.
func TestForms(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"INI": {
			"# ours\nbastion ansible_host=192.0.2.250\n\n[leaves]\nleaf[01:03] ansible_user='admin' # all of them\n" +
				"leaf02 ansible_host=192.0.2.2 ansible_port=2222\n" +
				"[spines]\nspine10:8022\nspine2\n[fabric:children]\nleaves\nspines\n[fabric:vars]\nansible_user = cumulus\n" +
				"[all:vars]\nansible_port=22\n" +
				"[leaves:vars]\n; a comment\nansible_user=\"leafy\"\n",
			[]string{
				"bastion 192.0.2.250 :22", "leaf01 leaf01 admin:22 fabric,leaves", "leaf02 192.0.2.2 admin:2222 fabric,leaves",
				"leaf03 leaf03 admin:22 fabric,leaves", "spine2 spine2 cumulus:22 fabric,spines",
				"spine10 spine10 cumulus:8022 fabric,spines",
			},
		},
		"YAML": {
			"---\nall:\n  vars: {ansible_user: root}\n  children:\n    fabric:\n      children:\n        leaves:\n" +
				"          vars: &v\n            ansible_user: cumulus\n" +
				"          hosts:\n            leaf[1:2]:\n            leaf2: {ansible_host: 192.0.2.2}\n        spines:\n" +
				"          vars:\n            <<: *v\n            ansible_port: 22\n" +
				"          hosts:\n            spine1: {ansible_ssh_host: \"2001:db8::1\", ansible_user: nv}\n  hosts:\n    gpu1:\n",
			[]string{
				"gpu1 gpu1 root:0", "leaf1 leaf1 cumulus:0 fabric,leaves", "leaf2 192.0.2.2 cumulus:0 fabric,leaves",
				"spine1 2001:db8::1 nv:22 fabric,spines",
			},
		},
		"JSON of ansible-inventory": {
			`{"_meta": {"hostvars": {"leaf1": {"ansible_host": "192.0.2.1", "ansible_port": 830,
"facts": {"deep": [1, null, true]}}, "gpu1": {}}},
"all": {"children": ["ungrouped", "leaves"]}, "leaves": {"hosts": ["leaf1", "leaf2"], "vars": {"ansible_user": "admin"}},
"ungrouped": {"hosts": ["gpu1"]}}`,
			[]string{"gpu1 gpu1 :0", "leaf1 192.0.2.1 admin:830 leaves", "leaf2 leaf2 admin:0 leaves"},
		},
		"JSON with lists alone": {
			`{"leaves": ["leaf1"], "spines": {"hosts": ["spine1"]}}`,
			[]string{"leaf1 leaf1 :0 leaves", "spine1 spine1 :0 spines"},
		},
		"JSON as YAML": {`{"all": {"hosts": {"leaf1": {"ansible_host": "192.0.2.1"}}}}`, []string{"leaf1 192.0.2.1 :0"}},
		"ranges": {
			"r[a:c]p[1:3:2]\nx[008:010]\n[2001:db8::5]:22 ansible_user=a\n2001:db8::6\n",
			[]string{
				"2001:db8::5 2001:db8::5 a:22", "2001:db8::6 2001:db8::6 :0", "rap1 rap1 :0", "rap3 rap3 :0",
				"rbp1 rbp1 :0", "rbp3 rbp3 :0",
				"rcp1 rcp1 :0", "rcp3 rcp3 :0", "x008 x008 :0", "x009 x009 :0", "x010 x010 :0",
			},
		},
		"empty": {"# nothing\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			inv, ds := Read("hosts", []byte(c.text))
			require.Empty(t, said(ds))
			assert.Equal(t, c.want, lines(inv))
		})
	}
}

// Values that Ansible computes are skipped and reported. Their hosts have no address, since a template would be a wrong address.
func TestSkipped(t *testing.T) {
	inv, ds := Read("hosts", []byte("leaf1 ansible_host={{base}}.1\n"+
		"leaf2 ansible_port=99999 ansible_user=-oProxyCommand=x\n-x ansible_host=192.0.2.1\n"+
		"here ansible_connection=local\n"))
	assert.Equal(t, []string{"leaf1  :0", "leaf2 leaf2 :0"}, lines(inv))
	require.Len(t, ds, 5)
	assert.Equal(t, "hosts", ds[0].At.Filename)
	assert.Contains(t, said(ds)[0], "1 inventory-skipped: ansible_host of the host leaf1 is skipped: it is a template")
	assert.Contains(t, said(ds)[1], "2 inventory-skipped: ansible_port of the host leaf2 is skipped: ports are from 1 to 65535")
	assert.Contains(t, said(ds)[2], "ansible_user of the host leaf2 is skipped: a user begins with a letter")
	assert.Contains(t, said(ds)[3], `The host "-x" is left out`)
	assert.Contains(t, said(ds)[4], `The host "here" is left out: its ansible_connection is local`)

	inv, ds = Read("hosts.yml", []byte("all:\n  hosts:\n    leaf1:\n      ansible_host: !vault |\n"+
		"        $ANSIBLE_VAULT;1.1;AES256\n        6162\n"))
	assert.Equal(t, []string{"leaf1  :0"}, lines(inv))
	require.Len(t, ds, 1)
	assert.Contains(t, said(ds)[0], "it is encrypted by Ansible Vault")

	inv, ds = Read("hosts.json", []byte(`{"_meta":{"hostvars":{"leaf1":{"ansible_user":{"__ansible_vault":"x"}}}},
"all": {"hosts": ["leaf1"]}}`))
	assert.Equal(t, []string{"leaf1 leaf1 :0"}, lines(inv))
	require.Len(t, ds, 1)

	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "leaf%d ansible_host={{x}}\n", i)
	}
	_, ds = Read("hosts", []byte(b.String()))
	require.Len(t, ds, maxSaid)
	assert.Equal(t, "and 10 values more of this file", ds[maxSaid-1].Notes[0].Message)
}

// Each mistake is an error at its line.
func TestInvalid(t *testing.T) {
	deep := strings.Repeat("a: {children: {", 70) + strings.Repeat("}}", 70)
	for text, want := range map[string]string{
		"[leaves\nleaf1\n":                       `1 inventory-invalid: "[leaves" is not the heading of a group`,
		"[leaves:hots]\n":                        `"[leaves:hots]" is not a known heading`,
		"leaf1 ansible_host\n":                   `"ansible_host" is not a variable`,
		"leaf1 ansible_user='x\n":                "a quote is not closed",
		"[a:vars]\nx\n":                          `2 inventory-invalid: "x" is not a variable`,
		"leaf[1:2\n":                             "a bracket is not closed",
		"leaf[1:99999]\n":                        "has more than 20000 hosts",
		"leaf[1:1000][1:1000]\n":                 "its ranges have more than 20000 hosts",
		"leaf[3:1]\n":                            "begins before it ends",
		"leaf[01:100]\n":                         "the same number of digits",
		"leaf[1:9:0]\n":                          "the step of a range",
		"leaf[x]\n":                              "a range is [BEGIN:END]",
		"leaf[1:x]\n":                            "at most nine digits, or letters",
		"[a:children]\nb\n[b:children]\na\n":     "contains itself",
		"<html>\n":                               "is not the name of a host",
		"all:\n  hosts: [leaf1]\n":               "are maps",
		"- hosts: all\n":                         `"hosts:" is not a variable`,
		"plugin: netbox.netbox.nb_inventory\n":   "the configuration of a plugin",
		"version: 2\nethernets:\n  eth0: {}\n":   `The group "version" is not a map`,
		"all: [":                                 "The file is not YAML",
		`{"all": {"hosts": `:                     "it ends inside of a value",
		`{"all": {}} x`:                          "there is more text after",
		"$ANSIBLE_VAULT;1.1;AES256\n6162\n":      "1 inventory-invalid: The whole file is encrypted",
		"leaf1\x00":                              "not UTF-8 text",
		"leaf1\xff":                              "not UTF-8 text",
		strings.Repeat("#", MaxFile+1):           "bytes, and at most",
		"all:\n#" + strings.Repeat("#", maxYAML): "of YAML are read",
		deep:                                     "too many values, or nests them too deep",
		`{"a":` + strings.Repeat("[", 100):       "too many values, or nests them too deep",
		"a: &a {x: 1}\n" + bomb():                "too many values, or nests them too deep",

		"[g" + strings.Repeat("x", 99) + ":c d]\nq\n": "is not the heading of a group",
	} {
		inv, ds := Read("f", []byte(text))
		require.Nil(t, inv, text[:min(len(text), 60)])
		require.NotEmpty(t, ds)
		assert.Contains(t, said(ds)[0], want, text[:min(len(text), 60)])
	}
}

// bomb returns YAML whose aliases expand to a billion values.
func bomb() string {
	var b strings.Builder
	b.WriteString("b0: &b0 {hosts: {x: }}\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "b%d: &b%d {vars: {a: *b%d, b: *b%d, c: *b%d, d: *b%d, e: *b%d, f: *b%d}}\n", i, i, i-1, i-1, i-1, i-1, i-1, i-1)
	}
	return b.String()
}

// Reading never panics on inventories with cut or swapped parts, and reading twice gives the same result.
func TestHostile(t *testing.T) {
	parts := []string{
		"[leaves]\n", "leaf[1:3]", " ansible_host=", "192.0.2.1", "\n", "[a:children]\n", "all:\n", "  hosts:\n" +
			"", "    x: ", "{", "}", "\"", "'", "[", "]", ":",
		"*a", "&a ", "<<: ", "!vault x", `{"_meta": {"hostvars": {"x": `, `{"hosts": ["a"]}`,
		"}}", "\\", "{{ x }}", "#", "- ", "\t", "é", "null",
	}
	seed := int64(38)
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewSource(seed))
	for range 20_000 {
		var b strings.Builder
		for range 1 + rng.Intn(12) {
			b.WriteString(parts[rng.Intn(len(parts))])
		}
		inv, ds := Read("f", []byte(b.String()))
		again, ds2 := Read("f", []byte(b.String()))
		require.Equal(t, lines(inv), lines(again), b.String())
		require.Equal(t, said(ds), said(ds2), b.String())
		require.Equal(t, inv == nil, ds.HasErrors(), b.String())
	}
}
