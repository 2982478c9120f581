package collect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/site"
	"github.com/rocec/rocec/cmd/internal/site/sitetest"
	"github.com/rocec/rocec/lang/destination"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/inventory"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// filesOf unpacks a collection as audit reads it from its archive.
func filesOf(t *testing.T, c *Collection) []lint.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "site.tar.gz")
	require.NoError(t, c.Save(name))
	found, err := devicefiles.Read([]string{name})
	require.NoError(t, err)
	for i := range found.Files {
		require.Empty(t, found.Files[i].Why, found.Files[i].Name)
		found.Files[i].Name = strings.TrimPrefix(found.Files[i].Name, filepath.ToSlash(name)+"/")
	}
	return found.Files
}

// findings returns the codes of an audit with their number of findings and files, and the verdicts.
func findings(t *testing.T, files []lint.File) map[string]int {
	t.Helper()
	s, ds := site.Of(t.Context(), files, site.Options{Most: 100_000})
	require.False(t, ds.HasErrors(), "%v", ds)
	out := map[string]int{fmt.Sprintf("cables %v", s.Cables.Ends): 1}
	for _, d := range s.Judged.Diags {
		out[fmt.Sprintf("draft %s %s", d.Code, d.Severity)]++
	}
	for _, p := range s.Judged.Proofs {
		out["proof "+p.Group.Name+" "+string(p.Verdict)]++
	}
	found := &devicefiles.Found{Files: files}
	for _, d := range found.Judge(&report.Report{Judged: s.Judged}).Judged.Diags {
		out[fmt.Sprintf("%s %s line %d", d.Code, d.Severity, d.At.Start.Line)]++
	}
	return out
}

// Snapshots of an example's files, plain and masked, have the same findings as the files. Omitted rows and masked words do not affect any
// judgement.
func TestExamples(t *testing.T) {
	const examples = "../../../examples"
	entries, err := os.ReadDir(examples)
	require.NoError(t, err)
	met := 0
	for _, e := range entries {
		j := judge.Judge(t.Context(), os.DirFS(filepath.Join(examples, e.Name())), ".", judge.Options{})
		if !e.IsDir() || j.Fabric == nil || j.Diags.HasErrors() || len(j.Fabric.Devices) > 100 || len(j.Fabric.Links) == 0 {
			continue
		}
		files := sitetest.FilesOf(t, j)
		if _, ds := site.Of(t.Context(), files, site.Options{Most: 100_000}); ds.HasErrors() {
			continue
		}
		met++
		c := &Collection{}
		c.Add(&devicefiles.Found{Files: files, Dir: "site"})
		require.Empty(t, c.NotKept, e.Name())
		want := findings(t, files)
		require.Equal(t, want, findings(t, filesOf(t, c)), e.Name())
		masked, words := c.Mask()
		text := filesOf(t, masked)
		require.Equal(t, want, findings(t, text), "%s masked", e.Name())
		for _, name := range c.names() {
			require.Contains(t, words, fmt.Sprintf("%q", strings.ToLower(name)), e.Name())
		}
		again, same := c.Mask()
		require.Equal(t, words, same)
		a, err := masked.Files()
		require.NoError(t, err)
		b, err := again.Files()
		require.NoError(t, err)
		require.Equal(t, a, b)
	}
	require.GreaterOrEqual(t, met, 10)
}

// The configuration of a chassis card contains tables that are secret as a whole. Its snapshot is still JSON and has the same findings as
// the file.
func TestSecretTables(t *testing.T) {
	file := lint.File{Name: "lc1/config_db.json", Data: []byte(`{
 "DEVICE_METADATA": {"localhost": {"hostname": "lc1", "hwsku": "ACS-MSN2700", "platform": "x86_64-mlnx_msn2700-r0", "switch_type": "voq"}},
 "SNMP_COMMUNITY": {
  "private1": {"TYPE": "RO"}
 },
 "TELEMETRY": {"gnmi": {"client_auth": "true", "token": null}},
 "RADIUS": {"global": {"passkey": 12, "secrets": ["one"], "password": {"x": "two"}}},
 "VOQ_INBAND_INTERFACE": {"Ethernet4": {"inband_type": "port"}, "Ethernet4|192.0.2.1/24": {}},
 "PORT": {
  "Ethernet0": {"lanes": "0,1,2,3", "speed": "100000", "admin_status": "up"},
  "Ethernet4": {"lanes": "4,5,6,7", "speed": "100000", "admin_status": "up"}},
 "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"}},
 "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "leaf1", "port": "Ethernet0"}, "Ethernet4": {"name": "lc2", "port": "Ethernet4"}}
}`)}
	want := findings(t, []lint.File{file})
	c := &Collection{}
	c.Add(&devicefiles.Found{Dir: "site", Files: []lint.File{file}})
	require.Empty(t, c.NotKept)
	masked, _ := c.Mask()
	for _, one := range []*Collection{c, masked} {
		files := filesOf(t, one)
		require.Len(t, files, 1)
		require.True(t, json.Valid(files[0].Data), "%s", files[0].Data)
		for _, secret := range []string{"private1", "12", "one", "two"} {
			require.NotRegexp(t, `\b`+secret+`\b`, string(files[0].Data))
		}
		require.Equal(t, want, findings(t, files))
	}
}

// LLDP may state device names with capitals, domains and final dots, and the folders may have these names or not. A masked snapshot has
// the same findings as the files in both cases.
func TestMaskNames(t *testing.T) {
	spellings := map[string]func(name string) string{
		"short":            func(name string) string { return name },
		"domain":           func(name string) string { return name + ".corp.example.net" },
		"domain and dot":   func(name string) string { return name + ".corp.example.net." },
		"dot":              func(name string) string { return name + "." },
		"capitals":         strings.ToUpper,
		"mixed":            func(name string) string { return strings.ToUpper(name) + ".Corp.Example.NET" },
		"one label":        func(name string) string { return name + ".local" },
		"several, by name": func(name string) string { return name + []string{".a.example.net", ".b.example.net", ""}[len(name)%3] },
	}
	names := regexp.MustCompile(`\b(gpu|leaf|spine)[0-9]+\b`)
	for how, spell := range spellings {
		for _, folders := range []bool{false, true} { // in this spelling, too
			var files []lint.File
			for _, f := range site.Demo() {
				text := string(f.Data)
				switch {
				case path.Base(f.Name) == "lldp.json":
					text = names.ReplaceAllStringFunc(text, func(name string) string { return spell("bigco-" + name) })
				case path.Base(f.Name) == "config_db.json":
					text = regexp.MustCompile(`"name": "[^"]+"`).ReplaceAllStringFunc(text, func(row string) string {
						return names.ReplaceAllStringFunc(row, func(name string) string { return spell("bigco-" + name) })
					})
				}
				text = names.ReplaceAllString(text, "bigco-$0")
				text = strings.ReplaceAll(text, "bigco-bigco-", "bigco-")
				name := names.ReplaceAllStringFunc(f.Name, func(name string) string {
					if folders {
						return spell("bigco-" + name)
					}
					return "bigco-" + name
				})
				files = append(files, lint.File{Name: name, Data: []byte(text)})
			}
			c := &Collection{}
			c.Add(&devicefiles.Found{Files: files, Dir: site.DemoFolder})
			want := findings(t, files)
			require.Positive(t, want["conf-headroom error line 144"], "%s: %v", how, want)
			if !folders {
				require.Positive(t, want["conf-fabric-lossless error line 17"], "%s: %v", how, want)
			}
			masked, _ := c.Mask()
			require.Equal(t, want, findings(t, filesOf(t, masked)), "%s, folders %v", how, folders)
			for _, f := range filesOf(t, masked) {
				require.NotContains(t, strings.ToLower(f.Name+string(f.Data)), "bigco", how)
				require.NotContains(t, strings.ToLower(f.Name+string(f.Data)), "example", how)
			}
		}
	}
}

// A masked snapshot has no name, address, serial number or description of the files.
func TestMaskHides(t *testing.T) {
	c := &Collection{}
	c.Add(&devicefiles.Found{Dir: "site", Files: []lint.File{
		{Name: "site/acme-leaf7/config_db.json", Data: []byte(`{
 "DEVICE_METADATA": {"localhost": {"hostname": "acme-leaf7", "hwsku": "ACS-MSN2700", "mac": "0c:42:a1:00:00:01"}},
 "PORT": {"Ethernet0": {"lanes": "0", "speed": "100000", "description": "to Bob's rack"}},
 "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "acme-gpu12", "port": "ens1"}},
 "LOOPBACK_INTERFACE": {"Loopback0|10.11.12.13/32": {}},
 "BGP_NEIGHBOR": {"fd00:acce::7": {"asn": "65001", "local_addr": "10.11.12.13"}}
}`)},
		{Name: "site/acme-leaf7/lldp.json", Data: []byte(`{"lldp": {"interface": [{"Ethernet0": {"chassis": {"acme-gpu12.dc.acme.example": {
 "descr": "Bob's machine", "mgmt-ip": ["10.11.12.99"], "id": {"type": "mac", "value": "0c:42:a1:00:00:02"}}},
 "port": {"id": {"type": "ifname", "value": "ens1"}, "descr": "ens1"}}}]}}`)},
	}})
	require.Empty(t, c.NotKept)
	masked, words := c.Mask()
	files, err := masked.Files()
	require.NoError(t, err)
	for _, f := range files {
		text := strings.ToLower(f.Name + "\n" + string(f.Data))
		for _, secret := range []string{"acme", "bob", "0c:42", "10.11", "acce", "dc."} {
			require.NotContains(t, text, secret, f.Name)
		}
	}
	require.Contains(t, string(files[1].Data), `"hostname": "leaf1"`)
	require.Contains(t, string(files[2].Data), `{"gpu1"`, "the names with and without a domain are one device")
	require.Contains(t, string(files[2].Data), `"value": "ens1"`)
	require.Contains(t, words, `"acme-leaf7"`)
	require.Contains(t, words, "description-1\t")
	require.Regexp(t, `198\.18\.0\.[0-9]+/32`, string(files[1].Data))
}

// A masked snapshot with routes has the same findings and routing as the files, but none of their addresses and descriptions.
func TestMaskRoutes(t *testing.T) {
	ar, err := txtar.ParseFile("../sitefrom/testdata/shapes/route-tables.txtar")
	require.NoError(t, err)
	var files []lint.File
	for _, f := range ar.Files {
		if name, ok := strings.CutPrefix(f.Name, "collected/"); ok {
			text := strings.ReplaceAll(string(f.Data), "gpu", "acme-gpu")
			text = strings.Replace(text, `"ifname":"Ethernet120",`, `"ifname":"Ethernet120","ifalias":"to Bob's rack",`, 1)
			files = append(files, lint.File{Name: "site/" + strings.Replace(name, "gpu", "acme-gpu", 1), Data: []byte(text)})
		}
	}
	routed := func(files []lint.File) (string, int) {
		s, ds := site.Of(t.Context(), files, site.Options{Most: 1000})
		require.Empty(t, ds)
		return s.Network().Stated, len(s.Network().Conditions)
	}
	c := &Collection{}
	c.Add(&devicefiles.Found{Files: files, Dir: "site"})
	require.Empty(t, c.NotKept)
	masked, _ := c.Mask()
	want := findings(t, files)
	stated, conditions := routed(files)
	require.Equal(t, "table", stated)
	for _, is := range [][]lint.File{filesOf(t, c), filesOf(t, masked)} {
		require.Equal(t, want, findings(t, is))
		a, b := routed(is)
		require.Equal(t, stated, a)
		require.Equal(t, conditions, b)
	}
	for _, f := range filesOf(t, masked) {
		for _, secret := range []string{`10\.0\.0\.`, `10\.1\.`, `10\.2\.`, `192\.0\.2\.1\b`, "acme", "Bob", "00:53"} {
			require.NotRegexp(t, secret, string(f.Data), f.Name)
		}
	}
}

// conn is a simulated device: its script contains the answers. A long script comes as stdin.
type conn struct {
	run func(cmd string) ([]byte, error)
}

func (c *conn) Run(_ context.Context, cmd string, stdin []byte) ([]byte, error) {
	return c.run(cmd + string(stdin))
}
func (c *conn) HostKey() string { return "SHA256:x" }
func (c *conn) Close() error    { return nil }

func devicesNamed(n int) (out []*target.Device) {
	for i := range n {
		name := fmt.Sprintf("leaf%03d", i+1)
		out = append(out, &target.Device{Name: name, Login: target.Login{Address: name}})
	}
	return out
}

// Whatever the order of failures, rocec stops after three failed logins and dials no device twice.
func TestLoginsThatFail(t *testing.T) {
	stopped := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		share := r.Float64()
		bad := map[string]bool{}
		devices := devicesNamed(40)
		for _, d := range devices {
			bad[d.Name] = r.Float64() < share
		}
		var failed, dialled atomic.Int32
		c := &Collection{}
		saves := 0
		err := c.Ask(t.Context(), devices, Asking{
			Guarded: true, Now: time.Now, Progress: func(int, int) {}, Read: rollout.ObserveOptions{Parallel: 16},
			Save: func() error { saves++; return nil },
			Dial: func(_ context.Context, d *target.Device) (target.Conn, error) {
				dialled.Add(1)
				switch {
				case bad[d.Name]:
					failed.Add(1)
					return nil, &target.LoginError{Err: errors.New("permission denied")}
				case d.Name == "leaf007":
					return nil, errors.New("no route")
				case d.Name == "leaf008":
					return nil, &target.LoginError{Err: &target.HostKeyError{Err: errors.New("unknown key")}}
				}
				return &conn{func(string) ([]byte, error) { return nil, errors.New("lost") }}, nil
			},
		})
		require.NoError(t, err)
		require.LessOrEqual(t, failed.Load(), int32(mostLogins), "seed %d", seed)
		require.Len(t, c.Manifest.Devices, 40, "every device has its reason")
		require.Equal(t, 40, unasked(c))
		lines, _ := c.Failed()
		require.NotZero(t, saves)
		if dialled.Load() < 40 {
			stopped++
			require.Contains(t, strings.Join(lines, "\n"), "it was not asked, as 3 logins failed")
		}
	}
	require.NotZero(t, stopped)
	require.Less(t, stopped, 60)
}

// An answer that is cut off, empty or unknown is not kept. The report has a line about each.
func TestAnswers(t *testing.T) {
	at := time.Unix(1_795_000_000, 0)
	of := devicesNamed(1)[0]
	answers := func(by map[string]string) []answered {
		_, all := queriesTo(of.Name)
		for i := range all {
			if text, has := by[all[i].question.File]; has {
				all[i].text, all[i].status = split([]byte(text))
			} else {
				all[i].status = noFile
			}
		}
		return all
	}
	c := &Collection{}
	have := rollout.Observe(t.Context(), func(context.Context, *target.Device) (target.Conn, error) {
		return nil, errors.New("no route to host")
	}, &target.Tree{Devices: []*target.Device{of}}, rollout.ObserveOptions{}).Devices[0]
	c.answer(of, have, answers(nil), at)
	lines, _ := c.Failed()
	require.Contains(t, lines[0], "leaf001: ")
	require.False(t, c.Has("leaf001"))

	have.Err = nil
	c.answer(of, have, answers(map[string]string{
		"":               "tor9\n1795003600\n\nrocec-status 0\n",
		"traffic.conf":   "traffic.packet_priority_source_set = [dscp]\n\nrocec-status 0\n",
		"os-release":     "ID=debian\n\nrocec-status 0\n",
		"lldp.json":      `{"lldp": {"interf` + "\n\nrocec-status 0\n",
		"startup.yaml":   "\nrocec-status 1\n",
		"config_db.json": "",
		"host.txt":       "$ rdma link\n\nrocec-status 0\n",
	}), at)
	lines, missing := c.Failed()
	require.Empty(t, lines)
	require.Equal(t, []string{
		"config_db.json of leaf001 is missing: there was no answer",
		"lldp.json of leaf001 is missing: rocec reads nothing in it",
		"startup.yaml of leaf001 is missing: exit status 1",
	}, slices.Sorted(slices.Values(missing)))
	require.Equal(t, "tor9", c.Manifest.Devices[0].Host)
	require.Equal(t, 3600, c.Manifest.Devices[0].Clock)
	require.Len(t, c.files, 1)

	c.answer(of, have, answers(nil), at)
	lines, _ = c.Failed()
	require.Equal(t, []string{"leaf001: it answers no question of rocec: it has no file or command of a system that rocec knows"}, lines)
	require.True(t, c.Empty())
}

// A collection can continue a snapshot from its archive or folder. It asks again every device of which a file was changed.
func TestResume(t *testing.T) {
	for _, name := range []string{"site.tar.gz", "site"} {
		to := filepath.Join(t.TempDir(), name)
		c, err := Resume(to)
		require.NoError(t, err)
		require.True(t, c.Empty())
		c.Add(&devicefiles.Found{Dir: "site", Files: []lint.File{
			{Name: "site/leaf1/traffic.conf", Data: []byte("traffic.packet_priority_source_set = [dscp]\n")},
			{Name: "site/leaf2/traffic.conf", Data: []byte("traffic.packet_priority_source_set = [802.1p]\n")},
		}})
		require.NoError(t, c.Save(to))
		require.NoError(t, filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
			require.NoError(t, err)
			info, err := d.Info()
			require.NoError(t, err)
			require.Zero(t, info.Mode().Perm()&0o077, "%s is for its owner alone", path)
			return nil
		}))
		again, err := Resume(to)
		require.NoError(t, err)
		require.Equal(t, c.files, again.files)
		require.True(t, again.Has("leaf1") && again.Has("leaf2"))

		files, err := c.Files()
		require.NoError(t, err)
		files[1].Data = bytes.ReplaceAll(files[1].Data, []byte("dscp"), []byte("DSCP"))
		if name == "site" {
			require.NoError(t, os.WriteFile(filepath.Join(to, files[1].Name), files[1].Data, 0o600))
		} else {
			data, err := snapshot.Pack(files)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(to, data, 0o600))
		}
		again, err = Resume(to)
		require.NoError(t, err)
		require.False(t, again.Has("leaf1"))
		require.True(t, again.Has("leaf2"))

		found, err := devicefiles.Read([]string{to})
		require.NoError(t, err)
		i := slices.IndexFunc(found.Files, func(f lint.File) bool { return strings.HasSuffix(f.Name, "leaf1/traffic.conf") })
		require.Contains(t, found.Files[i].Why, "Its bytes are not those that were collected")
	}
	dir := t.TempDir()
	for name, says := range map[string]string{
		"a.tar.gz": "is no snapshot", "b": "exists and is not a snapshot", "c": "it has no snapshot.json",
	} {
		to := filepath.Join(dir, name)
		if name == "c" {
			require.NoError(t, os.MkdirAll(filepath.Join(to, "x"), 0o700))
		} else {
			require.NoError(t, os.WriteFile(to, []byte("mine"), 0o600))
		}
		_, err := Resume(to)
		require.ErrorContains(t, err, says)
	}
}

// A link in the folder of a snapshot is not followed to another folder.
func TestSaveThroughLink(t *testing.T) {
	to, other := filepath.Join(t.TempDir(), "site"), t.TempDir()
	require.NoError(t, os.Mkdir(to, 0o700))
	require.NoError(t, os.Symlink(other, filepath.Join(to, "leaf1")))
	c := &Collection{}
	c.Add(&devicefiles.Found{Dir: "site", Files: []lint.File{
		{Name: "site/leaf1/traffic.conf", Data: []byte("traffic.packet_priority_source_set = [dscp]\n")},
	}})
	require.Error(t, c.Save(to))
	entries, err := os.ReadDir(other)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.NoFileExists(t, filepath.Join(to, "snapshot.json"))
}

// rocec recognises fabrics, inventories, files and devices by their content. It dials no word of a text.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		full := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(path.Dir(full), 0o700))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
		return full
	}
	fabric := path.Dir(put("fabric/fabric.hcl", ""))
	files := path.Dir(path.Dir(put("files/leaf1/traffic.conf", "traffic.packet_priority_source_set = [dscp]\n")))
	inv := put("hosts.ini", "# ours\n[leaves]\nleaf1 ansible_host=192.0.2.1 ansible_user=ops ansible_port=2222\n"+
		"leaf2 ansible_host='{{ x }}'\n")
	s, err := SourcesOf([]string{fabric, files, inv, "admin@spine1:22", "2001:db8::1"})
	require.NoError(t, err)
	require.Equal(t, []string{fabric}, s.Fabrics)
	require.Len(t, s.Files, 1)
	require.Len(t, s.Notes, 1)
	require.Contains(t, s.Notes[0], "leaf2 is not asked")
	var named []string
	for _, d := range s.Named {
		named = append(named, fmt.Sprintf("%s %s@%s:%d", d.Name, d.Login.User, d.Login.Address, d.Login.Port))
	}
	require.Equal(t, []string{"leaf1 ops@192.0.2.1:2222", "spine1 admin@spine1:22", "2001:db8::1 @2001:db8::1:0"}, named)
	for _, bad := range []string{
		"-oProxyCommand=x", "a/b", "le af", "x;y", filepath.Join(dir, "nothing"), "", "leaf1:99999",
	} {
		_, err := SourcesOf([]string{bad})
		require.Error(t, err, bad)
	}
	s, err = SourcesOf([]string{put("readme.txt", "leaf1\nleaf2\n")})
	require.NoError(t, err)
	require.Empty(t, s.Named)
	_, err = SourcesOf([]string{"leaf1", "ops@leaf1"})
	require.ErrorContains(t, err, "leaf1 is named twice")
}

// The inventory has the devices of the collection, and those that LLDP names. An invalid name is never a value in it.
func TestInventoryOrder(t *testing.T) {
	c := &Collection{}
	have := &deploy.Have{Err: &deploy.Error{Kind: deploy.Unreachable, Detail: "no route"}}
	for _, name := range []string{"leaf10", "leaf2", "leaf1"} { // in the order of their answers
		of := &target.Device{Name: name, Login: target.Login{Address: "192.0.2.1"}}
		if name == "leaf2" {
			of.Login.Port, of.Login.User = 2222, "cumulus"
		}
		_, all := queriesTo(name)
		c.answer(of, have, all, time.Unix(0, 0))
	}
	_, lines, _ := strings.Cut(c.Inventory(), "  hosts:\n")
	require.Equal(t, `    "leaf1": {ansible_host: "192.0.2.1"}
    "leaf2": {ansible_host: "192.0.2.1", ansible_port: 2222, ansible_user: "cumulus"}
    "leaf10": {ansible_host: "192.0.2.1"}
`, lines)
	devices, _ := c.Failed()
	require.Equal(t, []string{"leaf[1-2,10]: no route"}, devices)
}

func TestInventory(t *testing.T) {
	c := &Collection{}
	c.Add(&devicefiles.Found{Dir: "site", Files: []lint.File{{Name: "site/leaf1/lldp.json", Data: []byte(`{"lldp": {"interface": [
 {"swp1": {"chassis": {"spine1": {"mgmt-ip": "192.0.2.9", "descr": "Cumulus\nLinux"}},
  "port": {"id": {"type": "ifname", "value": "swp1"}}}},
 {"swp2": {"chassis": {"spine1": {"mgmt-ip": "192.0.2.9"}}, "port": {"id": {"type": "ifname", "value": "swp2"}}}},
 {"swp3": {"chassis": {"x\": {ansible_host: 1}\n": {"mgmt-ip": "192.0.2.8"}}, "port": {"id": {"type": "ifname", "value": "a"}}}},
 {"swp4": {"chassis": {"leaf1.example": {}}, "port": {"id": {"type": "ifname", "value": "a"}}}},
 {"swp5": {"chassis": {"two": {"mgmt-ip": "192.0.2.1"}}, "port": {"id": {"type": "ifname", "value": "a"}}}},
 {"swp6": {"chassis": {"two": {"mgmt-ip": "192.0.2.2"}}, "port": {"id": {"type": "ifname", "value": "a"}}}}]}}`)}}})
	text := c.Inventory()
	require.Equal(t, `    "leaf1": {}
    "spine1": {ansible_host: "192.0.2.9"} # named by leaf1:swp1, leaf1:swp2: Cumulus Linux
    "two": {} # named by leaf1:swp5, leaf1:swp6; neighbours state different addresses, so the address is left out
# "x\": {ansible_host: 1}\n" is left out: it is no name of a host (named by leaf1:swp3)
`, text[strings.Index(text, "    \""):])
	s, err := SourcesOf([]string{func() string {
		name := filepath.Join(t.TempDir(), "list.yaml")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}()})
	require.NoError(t, err)
	require.Len(t, s.Named, 3, diag.Escape(fmt.Sprint(s.Notes)))
}

// Whatever neighbours claim, rocec dials only devices that a person has named.
func TestHostileNeighbours(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	names := []string{
		"leaf001", "leaf002", "evil", "127.0.0.1", "$(reboot)", "-oProxyCommand=x", "../../etc/passwd", "a\nb", "\x1b[2J", "leaf001.evil.example",
		strings.Repeat("x", 300), "", "root@evil", "evil:2222",
	}
	word := func() string { return names[r.IntN(len(names))] }
	listed := 0
	for range 1000 {
		var entries []map[string]any
		for i := range r.IntN(6) {
			entries = append(entries, map[string]any{fmt.Sprintf("swp%d", i): map[string]any{
				"chassis": map[string]any{word(): map[string]any{"mgmt-ip": []string{word(), "192.0.2.66"}, "descr": word()}},
				"port":    map[string]any{"id": map[string]any{"type": "ifname", "value": word()}, "descr": word()},
			}})
		}
		lldp, err := json.Marshal(map[string]any{"lldp": map[string]any{"interface": entries}})
		require.NoError(t, err)
		devices := devicesNamed(3)
		dialled := map[string]int{}
		c := &Collection{}
		require.NoError(t, c.Ask(t.Context(), devices, Asking{
			Guarded: true, Now: time.Now, Progress: func(int, int) {}, Save: func() error { return nil },
			Read: rollout.ObserveOptions{Parallel: 1},
			Dial: func(_ context.Context, d *target.Device) (target.Conn, error) {
				dialled[d.Login.Address]++
				return &conn{func(cmd string) ([]byte, error) { return answering(cmd, string(lldp), word()), nil }}, nil
			},
		}))
		require.Equal(t, map[string]int{"leaf001": 1, "leaf002": 1, "leaf003": 1}, dialled)
		text := c.Inventory()
		require.NotContains(t, text, "\x1b")
		if strings.Contains(text, "named by") {
			listed++
		}
		inv, ds := inventory.Read("list.yaml", []byte(text))
		require.False(t, ds.HasErrors(), "%v\n%s", ds, text)
		for _, h := range inv.Hosts {
			require.Empty(t, destination.CheckHost(h.Name), text)
		}
		masked, _ := c.Mask()
		_, err = masked.Files()
		require.NoError(t, err)
	}
	require.Greater(t, listed, 500, "answers are read")
}

// answering answers the script of a read with the neighbours and a name.
func answering(script, lldp, name string) []byte {
	texts := []string{name + "\n1795000000\n\nrocec-status 0"}
	for _, q := range targets.Questions() {
		switch q.File {
		case "lldp.json":
			texts = append(texts, lldp+"\n\nrocec-status 0")
		case "hostname":
			texts = append(texts, name+"\n\nrocec-status 0")
		default:
			texts = append(texts, "\nrocec-status 66")
		}
	}
	return saying(script, texts...)
}

// saying answers the queries in the script of a read.
func saying(script string, texts ...string) []byte {
	mark := regexp.MustCompile(`rocec-[A-Z2-7]{26}`).FindString(script)
	var out strings.Builder
	say := func(kind, text string) { fmt.Fprintf(&out, "%s %s\n%s\n%s end 0\n", mark, kind, text, mark) }
	say("state", "boot x\nup 1")
	for _, text := range texts {
		say("query", text)
	}
	fmt.Fprintf(&out, "%s OK\n", mark)
	return []byte(out.String())
}

// Each command ends with its status. A command that hangs ends at its own time limit, and the device's other answers count.
func TestCommandBound(t *testing.T) {
	for cmd, want := range map[string]int{
		"printf '%s' \"it's\"": 0, "exit 7": 7, "no-such-command-of-rocec": 127, "cat /no/such/file": noFile, "timeout 0.1 sleep 9": 124,
	} {
		out, err := exec.Command("sh", "-c", command(cmd)).Output()
		require.NoError(t, err, cmd)
		_, status := split(out)
		require.Equal(t, want, status, cmd)
	}
	require.Contains(t, command("true"), fmt.Sprintf("timeout %d sh -c", mostTime))
}

// A file that is given again replaces the file in the snapshot. Two different files of the same name are an error.
func TestGivenAgain(t *testing.T) {
	to := filepath.Join(t.TempDir(), "site.tar.gz")
	given := func(texts ...string) *Collection {
		t.Helper()
		c, err := Resume(to)
		require.NoError(t, err)
		for i, text := range texts {
			name := fmt.Sprintf("site%d/leaf1/traffic.conf", i)
			c.Add(&devicefiles.Found{Dir: fmt.Sprintf("site%d", i), Files: []lint.File{{Name: name, Data: []byte(text)}}})
		}
		return c
	}
	const monday, friday = "traffic.packet_priority_source_set = [dscp]\n", "traffic.packet_priority_source_set = [802.1p]\n"
	c := given(monday)
	require.NoError(t, c.Save(to))
	for _, texts := range [][]string{{monday}, {friday}, {friday, friday}} {
		c = given(texts...)
		require.Empty(t, c.NotKept, texts)
		files := filesOf(t, c)
		require.Len(t, files, 1)
		require.Equal(t, texts[0], string(files[0].Data))
		require.Len(t, c.Manifest.Devices[0].Answers, 1)
	}
	c = given(monday, friday)
	require.Len(t, c.NotKept, 1)
	require.Contains(t, c.NotKept[0], "another file of this name")
	require.Equal(t, monday, string(filesOf(t, c)[0].Data))
}

// With a mask, the names of policies and of peer groups of FRRouting get words, everywhere in the file, and the words of FRRouting stay.
func TestMaskPolicies(t *testing.T) {
	p := &policies{words: map[string]string{}}
	const text = "router bgp 65101\n neighbor ACME peer-group\n neighbor ACME remote-as external\n neighbor swp1 interface peer-group ACME\n" +
		" neighbor ACME route-map in in\n neighbor ACME prefix-list HQ out\nroute-map RM-HQ permit 10\n match ip address prefix-list HQ\n" +
		" match community 65000:1\n set community 65000:1\n"
	got := p.replace("site/leaf1/frr.conf", text)
	require.NotRegexp(t, "ACME|HQ", got)
	require.Contains(t, got,
		" neighbor policy-1 peer-group\n neighbor policy-1 remote-as external\n neighbor swp1 interface peer-group policy-1\n")
	require.Contains(t, got, "route-map in in\n")
	require.Contains(t, got, "prefix-list policy-2 out\nroute-map policy-3 permit 10\n match ip address prefix-list policy-2\n")
	require.Contains(t, got, " match community 65000:1\n set community 65000:1\n")
	require.Equal(t, text, p.replace("site/leaf1/traffic.conf", text))
}
