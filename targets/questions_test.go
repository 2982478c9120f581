package targets_test

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// secretFiles are configurations with secrets in every table and part where people have secrets. Each secret has the word hunter2.
var secretFiles = map[string]string{
	"startup.yaml": `- header:
    model: MSN3700
    version: 5.9.1
- set:
    interface:
      swp1:
        description: hunter2
        link:
          mtu: 9216
        type: swp
    qos:
      roce:
        enable: on
        mode: lossless
    router:
      bgp:
        autonomous-system: 65001
        enable: on
    service:
      snmp-server:
        readonly-community:
          hunter2:
            access: {any: {}}
    system:
      aaa:
        tacacs:
          server:
            '1':
              secret: hunter2
        user:
          hunter2:
            hashed-password: hunter2
      hostname: leaf01
    vrf:
      default:
        router:
          bgp:
            neighbor:
              swp1:
                password: hunter2
                remote-as: external
                type: unnumbered
`,
	"applied.yaml": `cumulus@leaf01:~$ nv config show -o json
[{"set": {"interface": {"swp1": {"type": "swp", "link": {"mtu": 9216}}}, "qos": {"roce": {"enable": "on", "mode": "lossless"}},
 "system": {"hostname": "leaf01", "aaa": {"user": {"hunter2": {"hashed-password": "hunter2"}}}}}}]
cumulus@leaf01:~$ echo hunter2
`,
	"config.nv": `nv set interface swp1 type swp
nv set interface swp1 description hunter2
nv set qos roce mode lossless
nv set system hostname leaf01
nv set system aaa user hunter2 hashed-password 'hunter2'
nv set vrf default router bgp neighbor swp1 password hunter2
nv set vrf default router bgp neighbor swp1 remote-as external; echo hunter2
# hunter2
nv config apply
`,
	"config_db.json": `{
    "DEVICE_METADATA": {"localhost": {"hwsku": "Force10-S6000", "hostname": "leaf01", "bgp_asn": "65100"}},
    "PORT": {"Ethernet0": {"lanes": "1,2,3,4", "speed": "40000", "alias": "fortyGigE0/0", "description": "leaf02"}},
    "TACPLUS": {"global": {"passkey": "hunter2"}},
    "SNMP_COMMUNITY": {"hunter2": {"TYPE": "RO"}},
    "BGP_PEER_GROUP": {"up": {"auth_password": "hunter2"}},
    "BGP_NEIGHBOR": {"10.0.0.1": {"asn": "65200", "name": "spine1", "auth_password": "hunter2"}},
    "NTP_KEY": {"1": {"value": "hunter2"}},
    "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}},
    "ACL_RULE": {
        "hunter2": {
            "x": ["hunter2", 7]
        }
    }
}
`,
	"qos.json": `{"TC_TO_QUEUE_MAP": {"AZURE": {"3": "3"}}, "ntp": "hunter2"}`,
}

// No secret is kept, and the kept settings have the same meaning and lines.
func TestKeepSecrets(t *testing.T) {
	for name, text := range secretFiles {
		file := lint.File{Name: "site/leaf01/" + name, Data: []byte(text)}
		kept, dropped, err := targets.Keep(file)
		require.NoError(t, err, name)
		require.NotContains(t, string(kept), "hunter2", name)
		require.NotZero(t, dropped, name)
		require.Equal(t, strings.Count(text, "\n"), bytes.Count(kept, []byte("\n")), name)
		again, more, err := targets.Keep(lint.File{Name: file.Name, Data: kept})
		require.NoError(t, err, name)
		require.Equal(t, string(kept), string(again), "%s: keeping again changes nothing", name)
		require.Zero(t, more, name)
		was, is := surveyed(file), surveyed(lint.File{Name: file.Name, Data: kept})
		require.Equal(t, was == nil, is == nil, name)
		if was != nil {
			require.Equal(t, was.Host, is.Host, name)
			all, whole := was.Settings.Differences(is.Settings)
			require.Empty(t, all, name)
			require.True(t, whole, name)
		}
	}
}

// surveyed reads the single device of a file; nil: it has no settings.
func surveyed(f lint.File) *target.Understood {
	for _, d := range targets.SurveyFiles([]lint.File{f}).Devices {
		return d.Read
	}
	return nil
}

// Files without settings are not kept, nor are texts whose rows cannot be located.
func TestKeepRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, why string }{
		{"notes.txt", "the password is hunter2", "rocec reads nothing in it"},
		{"os-release", "NAME=\"Debian GNU/Linux\"\nID=debian\nVERSION_ID=\"12\"\n", "it is of another system"},
		{"config_db.json", `{"TACPLUS": {"global": {"passkey": "hunter2"`, "which of its rows could hold secrets is not known"},
		{
			"change.patch.json", `[{"op": "add", "path": "/BUFFER_POOL/x", "value": {}}]`,
			"it is a JSON patch, and its operations may set any table",
		},
	} {
		_, _, err := targets.Keep(lint.File{Name: "leaf01/" + c.name, Data: []byte(c.text)})
		require.EqualError(t, err, c.why, c.name)
	}
	_, _, err := targets.Keep(lint.File{Name: "config_db.json", Why: "It is a link."})
	require.EqualError(t, err, "it could not be read")
}

// The release that a device states takes precedence over a range from the spelling of its files.
func TestStatedRelease(t *testing.T) {
	const conf = "traffic.packet_priority_source_set = [dscp]\ntraffic.cos_3.priority_source.dscp = [26]\n"
	for _, c := range []struct{ name, text, release string }{
		{"os-release", "NAME=\"Cumulus Linux\"\nVERSION_ID=3.7.16\nID=cumulus-linux\n", "3.7.16"},
		{"os-release", "NAME=\"Debian\"\nVERSION_ID=3.7.16\nID=debian\n", "4.3"},
		{"os-release", "", "4.3"},
	} {
		files := []lint.File{{Name: "l1/traffic.conf", Data: []byte(conf)}, {Name: "l1/" + c.name, Data: []byte(c.text)}}
		s := targets.SurveyFiles(files)
		require.Len(t, s.Devices, 1)
		require.Equal(t, c.release, s.Devices[0].Release, c.text)
		require.Equal(t, c.release != "3.7.16", s.Devices[0].Guessed)
	}
	release := grammar.Releases[len(grammar.Releases)-2].String()
	s := targets.SurveyFiles([]lint.File{
		{Name: "l1/config_db.json", Data: []byte(secretFiles["config_db.json"])},
		{Name: "l1/sonic_version.yml", Data: []byte("---\nbuild_version: 'SONiC." + release + ".3-abc'\nasic_type: broadcom\n")},
	})
	require.Equal(t, release, s.Devices[0].Release)
}

// Every question only reads: its command writes nothing, and rocec searches for its file in the folder of a device.
func TestQuestions(t *testing.T) {
	all := targets.Questions()
	require.GreaterOrEqual(t, len(all), 10)
	seen := map[string]bool{}
	for _, q := range all {
		require.False(t, seen[q.File], q.File)
		seen[q.File] = true
		require.True(t, targets.Searched(lint.File{Name: "leaf01/" + q.File}, false), q.File)
		require.NotContains(t, strings.NewReplacer("2>/dev/null", "", ">/dev/null", "", "2>&1", "").Replace(q.Cmd), ">", q.File)
		require.NotEmpty(t, q.Says)
		require.NotContains(t, q.Cmd, "\nEND\n")
	}
}

// A device has the name in its configuration, else its own hostname, else the name of its folder.
func TestStatedName(t *testing.T) {
	const conf = "traffic.packet_priority_source_set = [dscp]\ntraffic.cos_3.priority_source.dscp = [26]\n"
	name := func(files map[string]string) (names []string) {
		var all []lint.File
		for _, n := range slices.Sorted(maps.Keys(files)) {
			all = append(all, lint.File{Name: n, Data: []byte(files[n])})
		}
		for _, d := range targets.SurveyFiles(all).Devices {
			names = append(names, d.Name)
		}
		return names
	}
	for _, c := range []struct {
		files map[string]string
		want  []string
	}{
		{map[string]string{"192.0.2.1/traffic.conf": conf, "192.0.2.1/hostname": "leaf01\n"}, []string{"leaf01"}},
		{map[string]string{"x/config_db.json": secretFiles["config_db.json"], "x/hostname": "other\n"}, []string{"leaf01"}},
		{map[string]string{"a/traffic.conf": conf, "a/hostname": "cumulus\n"}, []string{"a"}},
		{map[string]string{"a/traffic.conf": conf, "a/hostname": "-x\n"}, []string{"a"}},
		{map[string]string{"a/traffic.conf": conf, "a/hostname": "b; reboot\n"}, []string{"a"}},
		{
			map[string]string{"a/traffic.conf": conf, "a/hostname": "twin\n", "b/traffic.conf": conf, "b/hostname": "twin\n"},
			[]string{"a", "b"},
		},
		{map[string]string{"a/hostname": "lone\n"}, nil},
	} {
		require.Equal(t, c.want, name(c.files), "%v", c.files)
	}
}

// TestKeepFRR: a configuration of FRR keeps its BGP sessions but not its passwords.
func TestKeepFRR(t *testing.T) {
	kept, dropped, err := targets.Keep(lint.File{Name: "leaf01/frr.conf", Data: []byte(`frr version 8.4
hostname leaf01
password hunter2
enable password hunter2
router bgp 65001
 bgp router-id 10.0.0.1
 neighbor swp1 interface remote-as external
 neighbor 10.0.0.2 password hunter2
 neighbor 10.0.0.2 remote-as 65002
 address-family ipv4 unicast
  redistribute connected
 exit-address-family
route-map P permit 10
 description hunter2
 set as-path prepend 65001
router ospf
 network 10.7.0.0/16 area 0
key chain x
 key 1
  key-string hunter2
`)})
	require.NoError(t, err)
	require.NotContains(t, string(kept), "hunter2")
	require.Equal(t, 11, dropped)
	require.NotContains(t, string(kept), "10.7.0.0", "without its first line, it would be a network of BGP")
	require.Contains(t, string(kept), " set as-path prepend 65001\n")
	require.Equal(t, 21, bytes.Count(kept, []byte("\n"))+1)
	require.Contains(t, string(kept), " neighbor 10.0.0.2 remote-as 65002\n")
}

// The speeds of links are only read from a file with one line per interface.
func TestStatedSpeeds(t *testing.T) {
	const conf = "traffic.packet_priority_source_set = [dscp]\ntraffic.cos_3.priority_source.dscp = [26]\n"
	for text, want := range map[string]map[string]int{
		"eth0 1000\nswp1 25000\n":   {"eth0": 1000, "swp1": 25000},
		"":                          {},
		"swp1 -1\n":                 nil,
		"swp1 4294967295\nswp2 0\n": {},
		"swp1\n":                    nil,
		"speeds of my ports\n":      nil,
	} {
		s := targets.SurveyFiles([]lint.File{{Name: "l1/traffic.conf", Data: []byte(conf)}, {Name: "l1/speeds", Data: []byte(text)}})
		require.Len(t, s.Devices, 1)
		require.Equal(t, want, s.Devices[0].Speeds, text)
	}
}

// Collected configurations have a place on the switches of the fabric: the stored configuration, else the running one.
func TestPlace(t *testing.T) {
	f := clos{leaves: 2, spines: 1, hosts: 2, model: "sn4700", version: "5.9.1", v2: true}.compile(t)
	texts := map[string]string{
		"startup.yaml": secretFiles["startup.yaml"], "applied.yaml": secretFiles["applied.yaml"],
		"lldp.json": `{"lldp": {"interface": []}}`, "dcb.txt": "x",
		"commands.txt": "nv set qos roce mode lossless\n", "running.yaml": `[{"set": {"qos": {"roce": {"mode": "lossless"}}}}]`,
		"config-show.yaml": "cumulus@leaf01:mgmt:~$ nv config show\n- set:\n    qos:\n      roce:\n        mode: lossless\n",
	}
	places := func(files ...string) (out []string) {
		var all []lint.File
		for _, name := range files {
			all = append(all, lint.File{Name: name, Data: []byte(texts[path.Base(name)])})
		}
		placed, not := targets.Place(f, all)
		for _, one := range placed {
			out = append(out, one.Device.Name+" "+one.Path+" "+one.File)
			require.NotContains(t, string(one.Data), "nv ")
		}
		for _, one := range not {
			out = append(out, one.File+": "+one.Why)
		}
		return out
	}
	d := f.Devices[slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Switch != nil })]
	leaf := d.Name
	host := f.Devices[slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Host != nil })].Name
	at := leaf + " /etc/nvue.d/startup.yaml x/" + leaf
	require.Equal(t, []string{
		at + "/startup.yaml", "x/" + leaf + "/applied.yaml: x/" + leaf + "/startup.yaml is used instead",
		"x/" + leaf + "/lldp.json: it has no configuration that the switch stores",
		"x/other/startup.yaml: the fabric has no device of this name", "x/" + host + "/dcb.txt: it is of a host, which stores no such file",
	}, places("x/"+leaf+"/applied.yaml", "x/"+leaf+"/startup.yaml", "x/"+leaf+"/lldp.json", "x/other/startup.yaml", "x/"+host+"/dcb.txt"))
	require.Equal(t, []string{at + "/applied.yaml"}, places("x/"+leaf+"/applied.yaml"))
	for _, name := range []string{"commands.txt", "running.yaml", "config-show.yaml"} {
		require.Equal(t, []string{at + "/" + name}, places("x/"+leaf+"/"+name), "in another form")
	}
	texts["commands.txt"] = "nv set qos roce mode lossless\nnv set qos 'roce\n"
	require.Equal(t, []string{"x/" + leaf + "/commands.txt: its line 2 cannot be read"}, places("x/"+leaf+"/commands.txt"))
}
