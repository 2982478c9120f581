package start

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
)

// drafted drafts a fabric from a text, up to its groups.
func drafted(t *testing.T, format, text string) *draft {
	t.Helper()
	var ds diag.List
	c, found := topology.ReadAll(format, "cables", []byte(text), topology.Options{Most: 1000})
	require.Empty(t, found)
	d := newDraft(Cabling{Format: format, Name: "cables", Cabling: c}, targets.Known, System{}, &ds)
	require.Empty(t, ds)
	return d
}

// A device's name, or otherwise its ports, show its role without its neighbours. The role is zero if neither does.
func TestRole(t *testing.T) {
	for _, c := range []struct {
		name  string
		ports []string
		want  role
		sure  bool
	}{
		{"spine01", []string{"eth1"}, isSwitch, true},
		{"rack1-leaf2", nil, isSwitch, true},
		{"storage-leaf01", nil, isSwitch, true},
		{"r1-leaf-a", nil, isSwitch, true},
		{"leaf1-host3", nil, isHost, true},
		{"p1-gpu2", []string{"swp1"}, isHost, true},
		{"gpu-r1-n4", []string{"swp1"}, isHost, true},
		{"sw1.example.net", nil, isSwitch, true},
		{"str-msn2700-03", []string{"Ethernet0"}, isSwitch, true},
		{"dgx-01", []string{"ib0", "ib1", "ib2", "ib3"}, isHost, true},
		{"h100-01", []string{"rail1", "rail2", "rail3", "rail4", "rail5", "rail6", "rail7", "rail8"}, isHost, false},
		{"alpha", []string{"eth1"}, unknown, false},
		{"alpha", []string{"eth1", "eth2", "eth3"}, unknown, false},
		{"alpha", []string{"eth1", "swp1"}, isSwitch, false},
		{"alpha", []string{"e1-1"}, isSwitch, false},
		{"r7", []string{"Gi0-0-0"}, isSwitch, false},
		{"swelling", []string{"eth0"}, unknown, false},
	} {
		dev := &device{name: c.name}
		other := &device{name: "other"}
		for _, p := range c.ports {
			x := &cable{a: &jack{dev: dev, port: p}, b: &jack{dev: other, port: "x"}}
			x.a.peer, x.b.peer, x.a.cable, x.b.cable = x.b, x.a, x, x
			dev.jacks = append(dev.jacks, x.a)
		}
		got, sure := (&draft{known: targets.Known}).role(dev)
		require.Equal(t, c.want, got, "%s %s", c.name, c.ports)
		require.Equal(t, c.sure, sure, "%s %s", c.name, c.ports)
	}
}

// If no word shows the role, cables do: a device with only switches as neighbours is a host, and a device between hosts is a switch.
func TestRolesByCables(t *testing.T) {
	for text, hosts := range map[string]string{
		"a,b\nx1:eth1,y1:eth1\nx2:eth1,y1:eth2\ny1:eth3,y2:eth1\nx3:eth1,y2:eth2\n": "x1 x2 x3",
		"a,b\nx1:eth1,leaf1:swp1\nx1:eth2,leaf2:swp1\nx1:eth3,leaf3:swp1\n":         "x1",
		"a,b\nx1:eth1,y1:swp1\nx2:eth1,y1:swp2\nx2:eth2,y2:swp1\n":                  "x1 x2",
	} {
		var got []string
		for _, dev := range drafted(t, "csv", text).devices {
			if dev.role == isHost {
				got = append(got, dev.name)
			}
		}
		require.Equal(t, hosts, strings.Join(got, " "), text)
	}
}

func TestSwitchModel(t *testing.T) {
	for _, c := range []struct {
		ports []string
		speed int
		want  string
	}{
		{[]string{"swp1", "swp32"}, 0, "sn2700"},
		{[]string{"swp1s0", "swp1s3"}, 25_000, "sn2700"},
		{[]string{"swp50", "swp51"}, 100_000, "sn2410"},
		{[]string{"swp1", "swp64"}, 0, "sn4600c"},
		{[]string{"swp1"}, 200_000, "sn3700"},
		{[]string{"swp1", "swp33"}, 200_000, "sn4600"},
		{[]string{"swp1"}, 400_000, "sn4700"},
		{[]string{"swp40"}, 400_000, "sn5600"},
		{[]string{"swp200"}, 0, "ports-200-100g"},
		{[]string{"Ethernet0", "Ethernet124"}, 0, "sn2700"},
		{[]string{"e1-1"}, 0, "sn2700"},
		{[]string{"e1-1"}, 400_000, "sn4700"},
	} {
		dev := &device{name: "x", role: isSwitch}
		for _, p := range c.ports {
			dev.jacks = append(dev.jacks, &jack{dev: dev, port: p, cable: &cable{speed: c.speed}})
		}
		s := (&draft{known: targets.Known}).systemOf(dev)
		require.Equal(t, c.want, s.model, c.ports)
		require.Equal(t, c.ports[0] == "e1-1", s.byHand, c.ports)
	}
	d := &draft{known: targets.Known}
	require.Equal(t, "connectx-5", d.nicModel(0))
	require.Equal(t, "connectx-6", d.nicModel(200_000))
	require.Equal(t, "connectx-7", d.nicModel(400_000))
}

// Devices without usual names, and hosts with other ports, still get distinct labels.
func TestDraftGroups(t *testing.T) {
	d := drafted(t, "csv", "a,b\n1:eth0,sw1:swp9\n2:eth0,sw1:swp8\ngpu1:eth0,sw1:swp1\ngpu2:eth1,sw1:swp2\na-very-long-name-of-a-switch-that-goes-on1:swp1,sw1:swp3\n")
	var labels []string
	for _, g := range d.groups {
		labels = append(labels, g.label)
	}
	require.Equal(t, []string{"a-very-long-name-of-a-sw", "sw", "device", "gpu", "gpu-2"}, labels)
}

// Devices outside of the fabric are written as globs, in which any character is safe.
func TestDraftIgnores(t *testing.T) {
	d := drafted(t, "ptm", `graph g { "OOB-${x}":"p" -- "a1":"swp1"; "a1":"swp2" -- "b1":"eth1" }`)
	require.Equal(t, []string{"oob-??x?"}, d.ignored)
}

// If rocec knows the release in a file, the draft has it, with a group for each release. A guess is marked CHECK.
func TestDraftVersions(t *testing.T) {
	const hosts = "\"gpu1\":\"eth1\" -- \"leaf01\":\"swp1\"; \"gpu2\":\"eth1\" -- \"leaf02\":\"swp1\"; \"leaf01\":\"swp9\" -- " +
		"\"leaf02\":\"swp9\"\n"
	const links = "\n  links:\n  - endpoints: [leaf1:%s, gpu1:eth1]\n  - endpoints: [leaf2:%s, gpu2:eth1]\n  - endpoints: [leaf1:%s, " +
		"leaf2:%s]\n"
	cumulus := strings.NewReplacer("%s", "swp4").Replace(strings.Replace(links, "leaf1:%s, leaf2:%s", "leaf1:swp8, leaf2:swp8", 1))
	sonic := strings.NewReplacer("%s", "Ethernet4").Replace(strings.Replace(links, "leaf1:%s, leaf2:%s", "leaf1:Ethernet8, leaf2:Ethernet8",
		1))
	const check = " # CHECK: decides what is written, and how"
	for _, c := range []struct {
		format, text string
		want         []string
	}{
		{"ptm", "graph { leaf01 [os=cumulus, version=\"5.9.1\"]; leaf02 [version=\"5.11.0\"]; " + hosts + "}", []string{"5.9.1", "5.11.0"}},
		{"ptm", "graph { leaf01 [os=cumulus, version=\"5.9.1\"]; leaf02 [version=\"4.9\"]; " + hosts + "}", []string{"5.9.1", "4.3.0" + check}},
		{"ptm", "graph { leaf01 [version=\"1:0\"]; leaf02 [version=\"latest\"]; " + hosts + "}", []string{"4.3.0" + check}},
		{
			"containerlab", "topology:\n  nodes:\n    leaf1: {kind: cumulus_cvx, image: 'networkop/cx:5.3.0'}\n    leaf2: {kind: cvx, image: " +
				"'cx:4.4.5'}" +
				cumulus, []string{"5.3.0", "4.4.5"},
		},
		{
			"containerlab", "topology:\n  kinds: {sonic-vm: {image: 'x/sonic-vm:202411'}}\n  nodes: {leaf1: {kind: sonic-vm}, leaf2: {kind: " +
				"sonic-vm}}" +
				sonic, []string{"202411"},
		},
	} {
		made, ds := draftOf(t, c.format, "file", []byte(c.text), System{})
		require.Empty(t, ds, c.text)
		var got []string
		for line := range strings.Lines(string(made.Files[1].Data)) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "version = "); ok {
				got = append(got, strings.ReplaceAll(rest, `"`, ""))
			}
		}
		require.Equal(t, c.want, got, c.text)
		v, why := verdict(judged(t, made.Files))
		require.NotEmpty(t, v, "%s\n%s", why, made.Files[1].Data)
	}
}

// A note counts links of a lab without a second device. The fabric has the name of the lab.
func TestDraftOfLab(t *testing.T) {
	made, ds := draftOf(t, "containerlab", "file", []byte("name: Pod-7\ntopology:\n  links:\n  - endpoints: [leaf1:e1-1, gpu1:eth1]\n"+
		"  - endpoints: [leaf1:e1-2, gpu2:eth1]\n  - endpoints: [leaf1:e1-3, 'host:veth1']\n  - endpoints: [leaf1:e1-4, 'mgmt-net:veth2']\n"+
		"  - {type: dummy, endpoint: {node: leaf1, interface: e1-7}}\n"), System{})
	require.Empty(t, ds)
	require.Equal(t, []string{"3 links that join no two devices: dummy, host and mgmt-net"}, made.Notes)
	require.Equal(t, "pod-7", made.Name)
	require.Contains(t, string(made.Files[0].Data), `fabric "pod-7" {`)
}
