package targets_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/nvue"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// TestWrittenFilesAreUnderstood: the reader of each system understands every row that rocec itself writes.
func TestWrittenFilesAreUnderstood(t *testing.T) {
	linters := targets.Linters()
	read := map[string]int{}
	err := filepath.WalkDir("../golden", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !linters.Knows(name) || d.Name() == "nvue.commands" { // a part, which the next test covers
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		r := targets.JudgeFiles([]lint.File{{Name: name, Data: data}})
		assert.Empty(t, r.Files[0].Why, name)
		if len(r.Files[0].Understood) > 0 {
			read[filepath.Base(name)]++
		}
		return nil
	})
	require.NoError(t, err)
	for _, base := range []string{"traffic.conf", "qos_features.conf", "config_db.json"} {
		assert.NotZero(t, read[base], "%s: %v", base, read)
	}
}

// TestWrittenPatchesAreUnderstood: a patch of NVUE is only a part of a configuration, so no linter accepts it as complete. Its rows are
// understood.
func TestWrittenPatchesAreUnderstood(t *testing.T) {
	read := 0
	err := filepath.WalkDir("../golden", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "nvue.") {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		c := nvue.Understand(target.Identity{}, map[string][]byte{name: data}).Coverage
		assert.Empty(t, c.Not, name)
		assert.NotZero(t, c.Rows, name)
		read++
		return nil
	})
	require.NoError(t, err)
	assert.NotZero(t, read)
}

// TestFilesThatAreNotUnderstood: a file with a row that no table describes is not good, even if all other rows are good, and the message
// counts the rows.
func TestFilesThatAreNotUnderstood(t *testing.T) {
	conf, err := os.ReadFile("../golden/rack-v1-pfc/tor1/etc/cumulus/datapath/traffic.conf")
	require.NoError(t, err)
	judge := func(name, text string) lint.Result {
		return targets.JudgeFiles([]lint.File{{Name: name, Data: []byte(text)}})
	}
	whole := judge("traffic.conf", string(conf))
	require.Empty(t, whole.Files[0].Why)
	require.NotEmpty(t, whole.Files[0].Understood)

	found := judge("traffic.conf", string(conf)+"\ntraffic.cos_9.invented = 1\n") // a finding is a verdict on the row
	assert.Empty(t, found.Files[0].Why)
	assert.NotEmpty(t, found.Diagnostics)

	const tree = "- header:\n    nvue-api-version: nvue_v1\n- set:\n    interface:\n      swp1:\n        qos:\n" +
		"          shared-headroom-pool: off\n        type: swp\n    system:\n      hostname: leaf1\n"
	r := judge("startup.yaml", tree)
	assert.Contains(t, r.Files[0].Why, "is not understood")
	assert.True(t, strings.HasPrefix(r.Files[0].Why, "1 of its "), r.Files[0].Why)
}

// TestFilesOfHosts: rocec reads the output of a host's tools and reports no file as good, because no rule judges it.
func TestFilesOfHosts(t *testing.T) {
	const text = "$ mlnx_qos -i eth0\nDCBX mode: OS controlled\nPriority trust state: dscp\nPFC configuration:\n" +
		"\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0\n"
	r := targets.JudgeFiles([]lint.File{{Name: "gpu01.txt", Data: []byte(text)}, {Name: "gpu02.txt", Data: []byte("nothing of a NIC\n")}})
	assert.Equal(t, "settings of the NICs of a host", r.Files[0].Dialect)
	assert.Regexp(t, `^rocec understands \d+ of its \d+ rows, and has no rule about hosts without a fabric$`, r.Files[0].Why)
	require.NotEmpty(t, r.Diagnostics)
	assert.NotEqual(t, r.Files[0].Dialect, r.Files[1].Dialect)
}

// TestHostsAreReportedTogether: files of hosts are combined into one finding with a line for each. The verdict on each file has its own
// reason.
func TestHostsAreReportedTogether(t *testing.T) {
	const capture = "$ mlnx_qos -i eth0\nPriority trust state: dscp\nPFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n" +
		"\tenabled     0   0   0   1   0   0   0   0\n"
	plain := strings.NewReplacer("dscp", "pcp", "1   0   0   0   0\n", "0   0   0   0   0\n").Replace(capture)
	texts := map[string]string{
		"gpu1.txt": capture, "gpu2.txt": plain,
		"gpu3.txt": "mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0\ndcb pfc set dev eth1 prio-pfc 3:on\n",
		"gpu4.txt": plain + "an unknown line\n",
		"gpu5.txt": "$ dcb pfc show dev eth0\npfc-cap 8 macsec-bypass off delay 0\n" +
			"prio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off\n",
		"gpu6-mlnx_qos.txt": plain, "gpu6-dcb.txt": "$ ethtool -a eth0\nPause parameters for eth0:\nAutonegotiate:\toff\nRX:\t\ton\nTX:\t\ton\n",
		"leaf1/traffic.conf": "traffic.packet_priority_source = 802.1p\ntraffic.cos_0.packet_priorities = [0,1,2,3,4,5,6,7]\n",
	}
	r, of := judgedFiles(texts)
	const end = ", and has no rule about hosts without a fabric"
	for name, why := range map[string]string{
		"gpu1.txt": "5 of its 5 rows" + end,
		"gpu2.txt": "5 of its 5 rows, which show no RoCE configuration at all" + end,
		"gpu3.txt": "2 of its 2 rows, which set PFC" + end,
		"gpu4.txt": "5 of its 6 rows" + end,
	} {
		assert.Equal(t, "rocec understands "+why, of[name].Why, name)
		assert.Equal(t, "rocec has no rule about hosts without a fabric", of[name].Brief, name)
		assert.False(t, of[name].Plain)
	}
	assert.NotContains(t, of["gpu5.txt"].Why, "no RoCE", "trust is not shown")
	assert.NotContains(t, of["gpu6-dcb.txt"].Why, "no RoCE", "it shows link pause")
	assert.Equal(t, lint.Running, of["gpu1.txt"].Moment)
	assert.Equal(t, lint.Stored, of["gpu3.txt"].Moment)
	assert.Equal(t, "gpu6", of["gpu6-dcb.txt"].Device)
	assert.Empty(t, of["leaf1/traffic.conf"].Why)
	require.Len(t, r.Diagnostics, 1)
	assert.Equal(t, "gpu1.txt", r.Diagnostics[0].At.Filename)
	assert.Len(t, r.Diagnostics[0].Notes, 6)

	for i := range 60 {
		texts[fmt.Sprintf("host%02d.txt", i)] = capture
	}
	r, _ = judgedFiles(texts)
	require.Len(t, r.Diagnostics, 1)
	notes := r.Diagnostics[0].Notes
	assert.Equal(t, "The same holds for 46 further files of hosts.", notes[len(notes)-1].Message)
	_, of = judgedFiles(map[string]string{"gpu1.txt": capture + strings.Repeat("#\n", 1<<20)})
	assert.Equal(t, "it is larger than 1 MiB", of["gpu1.txt"].Why)
	_, of = judgedFiles(map[string]string{"gpu1.txt": plain + "$ cat /sys/class/net/eth0/ecn/roce_np/enable/3\n1\n"})
	assert.NotContains(t, of["gpu1.txt"].Why, "no RoCE", "marks are on")
}

// TestCommandsOfNVUE: lines of nv set are judged. A script is only a part and not good; the output of nv config show is complete.
func TestCommandsOfNVUE(t *testing.T) {
	const lines = "nv set interface swp1 type swp\nnv set qos roce\nnv set qos mapping a trust l4\n"
	const script = "it is a script, and its effect depends on the earlier settings of the switch"
	for text, part := range map[string]string{lines: "", lines + "nv config apply\n": script} {
		r := targets.JudgeFiles([]lint.File{{Name: "leaf1.txt", Data: []byte(text)}})
		assert.Equal(t, part, r.Files[0].Why, text)
		assert.Equal(t, part != "", r.Files[0].Part, text)
		assert.NotEmpty(t, r.Files[0].Understood)
		require.NotEmpty(t, r.Diagnostics)
		last := r.Diagnostics[len(r.Diagnostics)-1]
		assert.Equal(t, "conf-nvue-value 3", fmt.Sprintf("%s %d", last.Code, last.At.Start.Line), text)
	}
}

// Two files of a device whose names do not show their kind are read together if no value contradicts another.
func TestContradictoryFiles(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "themes", "traffic.conf"))
	require.NoError(t, err)
	other := strings.Replace(string(text), "port_buffer_bytes = 70000", "port_buffer_bytes = 60000", 1)
	for second, why := range map[string]string{
		string(text): "",
		other:        "it states other values than leaf1-traffic.conf, which was read for its device",
	} {
		r := targets.JudgeFiles([]lint.File{{Name: "leaf1-traffic.conf", Data: text}, {Name: "leaf1.conf", Data: []byte(second)}})
		require.Equal(t, "leaf1", r.Files[1].Device)
		require.Empty(t, r.Files[0].Why)
		require.Equal(t, why, r.Files[1].Why)
		require.Equal(t, why != "", r.Files[1].Part)
	}
}

// A second file with one name is not read: it is not good, and the last line states the reason.
func TestSecondFileOfOneName(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "themes", "config_db.json"))
	require.NoError(t, err)
	r := targets.JudgeFiles([]lint.File{
		{Name: "leaf1/config_db.json", Data: text},
		{Name: "leaf1/etc/sonic/config_db.json", Data: text},
		{Name: "leaf2/config_db.json", Data: text},
	})
	for i, why := range []string{"", "another file of its name was read for its device", ""} {
		require.Equal(t, why, r.Files[i].Why, "%d", i)
		require.Equal(t, why != "", r.Files[i].Part)
	}
}
