package targets_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
)

// exampleFabric compiles an example.
func exampleFabric(t *testing.T, example string) *ir.Fabric {
	t.Helper()
	f := judge.Judge(t.Context(), os.DirFS("../examples/"+example), ".", judge.Options{})
	require.NotNil(t, f.Fabric, example)
	return f.Fabric
}

// texts returns the findings above a note, and those that compare files with their fabric, as one line each.
func texts(ds diag.List) (out []string) {
	for _, d := range ds {
		if d.Severity != diag.Notice || strings.HasPrefix(d.Code, "conf-fabric") {
			out = append(out, d.Severity.String()+" "+d.Code+" "+d.At.Filename+": "+d.Detail)
		}
	}
	return out
}

// The files that rocec writes match their fabric: there are no findings, and all values that rules need are known.
func TestFabricFilesWritten(t *testing.T) {
	for _, example := range []string{
		"bonded-pair", "cabled", "clos-v2-ecn", "gpu-pod", "mixed-releases", "pods-ebgp", "rack-by-files", "rack-v1-pfc", "sonic-leaf-spine",
	} {
		_, files := writtenFiles(t, example)
		f := exampleFabric(t, example)
		r := targets.JudgeFilesOf(f, files)
		for i, taken := range r.Files {
			assert.True(t, taken.Fabric, files[i].Name)
		}
		for _, d := range r.Diagnostics {
			assert.Equal(t, diag.Notice, d.Severity, "%s %s: %s", example, d.Code, d.Detail)
			assert.NotContains(t, []string{"conf-headroom", "conf-fabric-wanted"}, d.Code, "%s: %s", example, d.Detail)
		}
	}
}

// A file that is cut off lacks settings, which are named.
func TestFabricFilesCutOff(t *testing.T) {
	_, files := writtenFiles(t, "clos-v2-ecn")
	for i := range files {
		if strings.Contains(files[i].Name, "/leaf01/") {
			before, _, found := strings.Cut(string(files[i].Data), "\npfc.")
			require.True(t, found)
			files[i].Data = []byte(before + "\n")
		}
	}
	all := strings.Join(texts(targets.JudgeFilesOf(exampleFabric(t, "clos-v2-ecn"), files).Diagnostics), "\n")
	assert.Regexp(t, `conf-fabric-wanted saved/leaf01/\S+: The files of leaf01 do not state \d+ settings? that rocec writes, .*marking`, all)
}

// tampered returns the written files of an example, with words replaced in the file of one device.
func tampered(t *testing.T, example, device string, words ...string) []lint.File {
	t.Helper()
	_, files := writtenFiles(t, example)
	for i := range files {
		if strings.Contains(files[i].Name, "/"+device+"/") {
			after := strings.NewReplacer(words...).Replace(string(files[i].Data))
			require.False(t, after == string(files[i].Data), "no word is in the file")
			files[i].Data = []byte(after)
		}
	}
	return files
}

// A class that a switch does not keep lossless is an error at the place of the value; a neighbour that sends pauses is named.
func TestFabricFilesTampered(t *testing.T) {
	for name, c := range map[string]struct {
		example, device string
		words           []string
		want            []string // a part of each expected finding
	}{
		"cumulus, other priority": {
			"clos-v2-ecn", "leaf01",
			[]string{"cos_list = [4]", "cos_list = [3]"},
			[]string{"error conf-fabric-lossless saved/leaf01/", "priority 4 (rdma)", "leaf01:swp31 to spine1:swp1", "leaf01 does not obey them"},
		},
		"cumulus, map": {
			"clos-v2-ecn", "leaf01",
			[]string{"dscp = [26]", "dscp = []", "[24,25,27", "[24,25,26,27"},
			[]string{"DSCP 26 is in cos 5, and the fabric has it in cos 4 (rdma)"},
		},
		"cumulus, headroom": {
			"clos-v2-ecn", "leaf01",
			[]string{"port_buffer_bytes = 97152", "port_buffer_bytes = 60000"},
			[]string{"warning conf-headroom saved/leaf01/", "at 100G with a cable of", "conf-fabric-wanted"},
		},
		"sonic, off": {
			"sonic-leaf-spine", "leaf1",
			[]string{`pfc_enable "3"`, `pfc_enable ""`},
			[]string{"error conf-fabric-lossless saved/leaf1/", "neither sends nor obeys its pauses"},
		},
		"sonic, other priority": {
			"sonic-leaf-spine", "spine1",
			[]string{`pfc_enable "3,4"`, `pfc_enable "3"`},
			[]string{"On leaf1:Ethernet120 to spine1:Ethernet0", "leaf1 sends pauses for priority 4, and spine1 does not obey them"},
		},
		"nvue, off": {
			"gpu-pod", "leaf1",
			[]string{"rx: enable", "rx: disable"},
			[]string{"error conf-fabric-lossless saved/leaf1/", "the port obeys none of its pauses"},
		},
		"nvue, trust": {
			"gpu-pod", "leaf1",
			[]string{"trust: l3", "trust: l2"},
			[]string{"does not trust DSCP"},
		},
		"nvue, cable": {
			"gpu-pod", "leaf1",
			[]string{"cable-length: 30", "cable-length: 5"},
			[]string{"conf-fabric-lossless", "cable"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := targets.JudgeFilesOf(exampleFabric(t, c.example), tampered(t, c.example, c.device, c.words...))
			all := strings.Join(texts(r.Diagnostics), "\n")
			for _, part := range c.want {
				assert.Contains(t, all, part)
			}
		})
	}
}

// Devices that the files and the fabric do not share are reported, and so are files of another system.
func TestFabricFilesDevices(t *testing.T) {
	f := exampleFabric(t, "clos-v2-ecn")
	_, files := writtenFiles(t, "clos-v2-ecn")
	_, sonic := writtenFiles(t, "sonic-leaf-spine")
	leaf := func(name string) lint.File {
		return files[slices.IndexFunc(files, func(f lint.File) bool { return strings.Contains(f.Name, "/"+name+"/") })]
	}
	one, other, twin, alone := leaf("leaf01"), leaf("leaf02"), leaf("leaf01"), leaf("leaf03")
	one.Name, other.Name, twin.Name, alone.Name = "x/leaf01-traffic.conf", "x/leaf9-traffic.conf", "y/leaf01-traffic.conf", "saved"
	system := sonic[0]
	system.Name = "x/leaf03/config_db.json"
	r := targets.JudgeFilesOf(f, []lint.File{one, other, twin, system, alone})
	all := strings.Join(texts(r.Diagnostics), "\n")
	for _, part := range []string{
		`x/leaf9-traffic.conf: The fabric has no device "leaf9".`,
		"y/leaf01-traffic.conf: The files of x/leaf01 and of y/leaf01 both belong to leaf01.",
		"x/leaf03/config_db.json: leaf03 runs cumulus-linux in the fabric, and the file is of another system",
		"saved: No device of the fabric is named in saved",
		"note conf-fabric-device devices.hcl: No file belongs to 69 devices of the fabric: ",
	} {
		assert.Contains(t, all, part)
	}
	assert.Equal(t, []bool{true, false, true, false, false}, []bool{
		r.Files[0].Fabric, r.Files[1].Fabric, r.Files[2].Fabric, r.Files[3].Fabric, r.Files[4].Fabric,
	})
}

// A configuration that states the name of its device belongs to that device if the file name states none; if the file name states another
// device, it is reported.
func TestFabricFilesHostName(t *testing.T) {
	f := exampleFabric(t, "gpu-pod")
	text := "- header:\n    model: SN5600\n    version: Cumulus Linux 5.1.0\n- set:\n    system:\n      hostname: leaf2\n    qos:\n" +
		"      roce:\n        enable: on\n"
	r := targets.JudgeFilesOf(f, []lint.File{{Name: "saved.yaml", Data: []byte(text)}})
	assert.True(t, r.Files[0].Fabric)
	r = targets.JudgeFilesOf(f, []lint.File{{Name: "leaf1/startup.yaml", Data: []byte(text)}})
	all := strings.Join(texts(r.Diagnostics), "\n")
	assert.Contains(t, all, "The files of leaf1 state the name leaf2, and release 5.1.0, where the fabric has")
}

// Hosts are compared with their fabric.
func TestFabricFilesHosts(t *testing.T) {
	f := exampleFabric(t, "clos-v2-ecn")
	good := "dcb pfc set dev ens1f0 prio-pfc all:off 4:on\ndcb app add dev ens1f0 dscp-prio 26:4\n"
	bad := strings.Replace(good, "4:on", "3:on", 1)
	r := targets.JudgeFilesOf(f, []lint.File{{Name: "gpu001/dcb.sh", Data: []byte(good)}, {Name: "gpu002/dcb.sh", Data: []byte(bad)}})
	all := strings.Join(texts(r.Diagnostics), "\n")
	assert.Contains(t, all, "error conf-fabric-lossless gpu002/dcb.sh: At ens1f0 of gpu002, the fabric keeps priority 4 (rdma) lossless")
	assert.NotContains(t, all, "of gpu001")
	assert.Equal(t, []string{"", ""}, []string{r.Files[0].Why, r.Files[1].Why})
	r = targets.JudgeFilesOf(f, []lint.File{{Name: "gpu001/dcb.sh", Data: []byte("ip link set dev ens1f0 mtu 9000\n")}})
	assert.Equal(t, "it states neither pauses nor trust of a port that the fabric has", r.Files[0].Why)

	pauses := func(rx string) lint.Result {
		text := "$ dcb pfc show dev ens1f0\nprio-pfc 0:off 1:off 2:off 3:off 4:on 5:off 6:off 7:off\n$ ethtool -a ens1f0\n" +
			"Pause parameters for ens1f0:\nRX:\t" + rx + "\nTX:\toff\n"
		return targets.JudgeFilesOf(f, []lint.File{{Name: "gpu001/linux.txt", Data: []byte(text)}})
	}
	assert.Empty(t, pauses("off").Files[0].Why)
	r = pauses("on")
	assert.Equal(t, "PFC is on at ens1f0, beside link pause or pauses of an unknown type", r.Files[0].Why)
	assert.True(t, r.Files[0].Part)
	assert.Contains(t, strings.Join(texts(r.Diagnostics), "\n"), "Its other values are compared with the fabric.")
}
