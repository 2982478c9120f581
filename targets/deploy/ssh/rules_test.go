package ssh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/target"
)

func TestRuleErrors(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"no value", "Host a\nUser\n", "config:2: User has no value"},
		{"empty value", "Port \"\"\n", "config:1: Port has no value"},
		{"open quote", "\n\nHostName \"a\n", "config:3: the quote \" is not closed"},
		{"include of itself", "Include DIR/config\n", "config:1: files include each other more than 16 deep"},
		{"include of a stranger's home", "Include ~bob/config\n", "config:1: \"~bob/config\": home directories of others"},
		{"include of a bad pattern", "Include DIR/[\n", "config:1: "},
		{"include of an unreadable folder", "Include DIR\n", "is a directory"},
	} {
		_, err := readRules(Config{ConfigFile: writeFiles(t, map[string]string{"config": c.text}), Home: "/nonexistent"})
		require.ErrorContains(t, err, c.says, c.name)
	}
	_, err := readRules(Config{ConfigFile: "/nonexistent"})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = New(Config{ConfigFile: "/nonexistent"})
	require.ErrorIs(t, err, ErrConfig)

	t.Run("too large", func(t *testing.T) {
		_, err := readRules(Config{ConfigFile: writeFiles(t, map[string]string{"config": strings.Repeat("#", maxConfigSize+1)})})
		require.ErrorContains(t, err, "is larger than")
	})
	t.Run("a bomb of includes", func(t *testing.T) {
		files := map[string]string{"config": "Include DIR/d/*\n"}
		for i := range 20 {
			files[fmt.Sprintf("d/%d", i)] = "Include DIR/d/*\n"
		}
		_, err := readRules(Config{ConfigFile: writeFiles(t, files)})
		require.Error(t, err)
	})
}

// TestSources checks which files are read.
func TestSources(t *testing.T) {
	home, system := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(home+"/.ssh/d", 0o700))
	for path, text := range map[string]string{
		home + "/.ssh/config":   "Include d/*\nUser person\n",
		home + "/.ssh/d/1":      "Port 1\n",
		system + "/ssh_config":  "User system\nPort 2\nInclude more ~/.ssh/d/1\nIdentitiesOnly yes\n",
		system + "/more":        "HostKeyAlias m\n",
		home + "/.ssh/separate": "User separate\n",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, c := range []struct {
		cfg  Config
		want map[string]string
	}{
		{Config{}, map[string]string{}},
		{Config{Home: home, System: system}, map[string]string{"user": "person", "port": "1", "hostkeyalias": "m", "identitiesonly": "yes"}},
		{Config{Home: home}, map[string]string{"user": "person", "port": "1"}},
		{Config{Home: home, System: system, ConfigFile: "none"}, map[string]string{}},
		{Config{Home: home, System: system, ConfigFile: home + "/.ssh/separate"}, map[string]string{"user": "separate"}},
		{Config{Home: "/nonexistent", System: "/nonexistent"}, map[string]string{}},
	} {
		rules, err := readRules(c.cfg)
		require.NoError(t, err)
		s, err := rules.find("leaf01", "u")
		require.NoError(t, err)
		got := map[string]string{}
		for key, d := range s.first {
			got[key] = d.args[0]
		}
		assert.Equal(t, c.want, got)
	}
}

// resolving returns the login of a device under a configuration.
func resolving(t *testing.T, config string, dev *target.Device) (*login, error) {
	t.Helper()
	d, err := New(Config{
		ConfigFile: writeFiles(t, map[string]string{"config": config}), Home: "/home/u", System: "/etc/ssh", User: "u", AgentSocket: "/run/agent",
	})
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d.login(dev)
}

func TestLogin(t *testing.T) {
	dev := func(l target.Login) *target.Device { return &target.Device{Name: "leaf01", Login: l} }
	usual := []string{"/home/u/.ssh/known_hosts", "/home/u/.ssh/known_hosts2", "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"}
	var defaults []keyFile
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa", "id_ed25519_sk", "id_ecdsa_sk"} {
		defaults = append(defaults, keyFile{"/home/u/.ssh/" + name, false})
	}
	b := &login{name: "b", host: "b", port: "22", user: "u", lookup: "b:22", known: usual, keys: defaults, agent: "/run/agent"}
	ten := &login{
		name: "10.0.0.1", host: "10.0.0.1", port: "2200", user: "jumper", lookup: "10.0.0.1:2200", known: usual, keys: defaults,
		agent: "/run/agent", via: b,
	}
	pin := "SHA256:" + strings.Repeat("A", 43)

	for _, c := range []struct {
		name, config string
		login        target.Login
		want         login
		command      string
	}{
		{
			"defaults", "",
			target.Login{},
			login{name: "leaf01", host: "leaf01", port: "22", user: "u", lookup: "leaf01:22", known: usual, keys: defaults, agent: "/run/agent"},
			"ssh u@leaf01",
		},
		{
			"ssh block", "",
			target.Login{Address: "fe80::1", Port: 2222, User: "cumulus", HostKey: pin},
			login{
				name: "fe80::1", host: "fe80::1", port: "2222", user: "cumulus", lookup: "[fe80::1]:2222", known: usual, keys: defaults,
				agent: "/run/agent", pin: pin,
			},
			"ssh -p 2222 cumulus@fe80::1",
		},
		{
			"ssh block wins", "User x\nPort 1\nProxyJump x\n",
			target.Login{Port: 2222, User: "cumulus", Jump: "none"},
			login{
				name: "leaf01", host: "leaf01", port: "2222", user: "cumulus", lookup: "leaf01:2222", known: usual, keys: defaults,
				agent: "/run/agent",
			},
			"ssh -p 2222 cumulus@leaf01",
		},
		{
			"files", "Host leaf01\n HostName LEAF01.example.net\n UserKnownHostsFile ~/k1 /k/%n-%h-%p-%r-%u-%%\n GlobalKnownHostsFile none\n " +
				"IdentityFile %d/a\n IdentityFile none\n" +
				" IdentitiesOnly yes\n IdentityAgent ~/agent-%r\n",
			target.Login{},
			login{
				name: "leaf01", host: "leaf01.example.net", port: "22", user: "u", lookup: "leaf01.example.net:22",
				known: []string{"/home/u/k1", "/k/leaf01-leaf01.example.net-22-u-u-%"}, keys: []keyFile{{"/home/u/a", true}}, only: true,
				agent: "/home/u/agent-u",
			},
			"ssh u@leaf01",
		},
		{
			"two jump hosts", "",
			target.Login{Jump: "b, jumper@10.0.0.1:2200"},
			login{
				name: "leaf01", host: "leaf01", port: "22", user: "u", lookup: "leaf01:22", known: usual, keys: defaults, agent: "/run/agent",
				via: ten,
			},
			"ssh -J u@b:22,jumper@10.0.0.1:2200 u@leaf01",
		},
		{
			"a jump host that has one", "Host 10.0.0.1\n ProxyJump b\n User jumper\nHost leaf*\n ProxyJump 10.0.0.1:2200\n",
			target.Login{},
			login{
				name: "leaf01", host: "leaf01", port: "22", user: "u", lookup: "leaf01:22", known: usual, keys: defaults, agent: "/run/agent",
				via: ten,
			},
			"ssh -J u@b:22,jumper@10.0.0.1:2200 u@leaf01",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := resolving(t, c.config, dev(c.login))
			require.NoError(t, err)
			assert.Equal(t, &c.want, got)
			assert.Equal(t, c.command, got.command())
		})
	}
}

func TestLoginErrors(t *testing.T) {
	for _, c := range []struct {
		name, config string
		login        target.Login
		says         string
	}{
		{
			"exec", "Host x\n User y\nMatch host leaf* exec \"nc -z %h 22\"\n User z\n",
			target.Login{},
			`config:3: rocec does not evaluate "Match exec"`,
		},
		{"a criterion of tomorrow", "Match weather=rain\n", target.Login{}, `config:1: rocec does not evaluate "Match weather"`},
		{"match without value", "Match host\n", target.Login{}, "config:1: Match host has no value"},
		{
			"proxy command", "Host leaf*\n ProxyCommand ssh -W %h:%p \"b\n",
			target.Login{},
			`config:2: ProxyCommand for "leaf01": rocec does not do this itself; set transport = "openssh"`,
		},
		{
			"proxy command of a jump host", "Host leaf*\n ProxyJump b\nHost b\n ProxyCommand nc\n",
			target.Login{},
			"config:4: ProxyCommand for \"b\"",
		},
		{"address family", "AddressFamily ipx\n", target.Login{}, `config:1: "ipx" is not an address family`},
		{"bind address", "BindAddress mgmt0\n", target.Login{}, `config:1: BindAddress for "leaf01": "mgmt0" is not an IP address`},
		{"flag", "IdentitiesOnly maybe\n", target.Login{}, `config:1: "maybe" is neither yes nor no`},
		{"port", "Port 70000\n", target.Login{}, `config:1: "70000" is not a port`},
		{"token", "IdentityFile ~/.ssh/%C\n", target.Login{}, "config:1: rocec does not know the token %C"},
		{"token of a host name", "HostName %p\n", target.Login{}, "config:1: rocec does not know the token %p"},
		{"percent at the end", "HostName a%\n", target.Login{}, "config:1: \"a%\" ends in %"},
		{"environment", "IdentityFile ${HOME}/k\n", target.Login{}, "config:1: rocec does not read environment variables"},
		{"environment for the agent", "IdentityAgent $AGENT\n", target.Login{}, "config:1: rocec does not read environment variables"},
		{"circle", "Host *\n ProxyJump b\n", target.Login{}, "the jump hosts go in a circle: leaf01 -> b -> b"},
		{"circle of two", "Host leaf01\n ProxyJump b\nHost b\n ProxyJump leaf01\n", target.Login{}, "leaf01 -> b -> leaf01"},
		{"too long a way", "", target.Login{Jump: "1,2,3,4,5,6,7,8,9"}, "more than 8 jump hosts"},
		{"bad jump host in the file", "\nProxyJump a:x\n", target.Login{}, `config:2: "a:x" is not a jump host`},
		{"option as a jump host in the file", "\nProxyJump a,-oX\n", target.Login{}, `config:2: "-oX" is not a jump host`},
		{"bad jump host", "", target.Login{Jump: "a:port"}, `"a:port" is not a jump host`},
		{"empty jump host", "", target.Login{Jump: "a,"}, `"" is not a jump host`},
		{"control characters", "", target.Login{Jump: "a\x1b b"}, `\x1b b" is not a jump host`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := resolving(t, c.config, &target.Device{Name: "leaf01", Login: c.login})
			require.ErrorContains(t, err, c.says)
			require.ErrorIs(t, err, ErrConfig)
			assert.NotContains(t, err.Error(), "\x1b")
		})
	}
	d, err := New(Config{})
	require.NoError(t, err)
	defer d.Close()
	_, err = d.login(&target.Device{Name: "leaf01"})
	require.ErrorContains(t, err, "no login name is known for leaf01:22")
}

// TestForeign: for a setting that rocec does not obey, exactly the hosts to which it applies are refused. For a value that turns the
// setting off, no host is refused.
func TestForeign(t *testing.T) {
	for _, c := range []struct {
		name, value string
		ssh         bool
		fine        []string
	}{
		{"ProxyCommand", "nc %h %p", true, []string{"none"}},
		{"PKCS11Provider", "/usr/lib/p11.so", true, []string{"none", "NONE"}},
		{"SmartcardDevice", "/usr/lib/p11.so", true, []string{"none"}},
		{"SecurityKeyProvider", "/usr/lib/sk.so", true, []string{"internal", "none"}},
		{"GSSAPIAuthentication", "yes", true, []string{"no", "False"}},
		{"PubkeyAuthentication", "no", true, []string{"yes", "unbound", "Host-Bound"}},
		{"PreferredAuthentications", "keyboard-interactive,password", true, []string{"publickey", "gssapi-with-mic,publickey,password"}},
		{"KnownHostsCommand", "/usr/bin/keys %H", false, []string{"none"}},
		{"CanonicalizeHostname", "always", false, []string{"no"}},
		{"BindInterface", "eth0", false, nil},
	} {
		for _, config := range []string{c.name + " " + c.value + "\n", "Host leaf02 leaf01\n " + strings.ToUpper(c.name) + "=" + c.value + "\n"} {
			_, err := resolving(t, config, &target.Device{Name: "leaf01"})
			require.ErrorContains(t, err, opensshInstead, config)
			foreign, ok := errors.AsType[*foreignError](err)
			require.True(t, ok, config)
			assert.Equal(t, c.ssh, foreign.ssh, config)
		}
		config := "Host spine*\n " + c.name + " " + c.value + "\n"
		_, err := resolving(t, config, &target.Device{Name: "leaf01"})
		require.NoError(t, err, config)
		for _, value := range c.fine {
			_, err := resolving(t, c.name+" "+value+"\n"+c.name+" "+c.value+"\n", &target.Device{Name: "leaf01"})
			require.NoError(t, err, "%s %s", c.name, value)
		}
	}
}

// TestManual: docs/ssh.md names every setting that is read, at the right place.
func TestManual(t *testing.T) {
	data, err := os.ReadFile("../../../docs/ssh.md")
	require.NoError(t, err)
	rows := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if cells := strings.SplitN(line, "|", 3); len(cells) == 3 {
			rows[strings.TrimSpace(cells[1])] = strings.ToLower(cells[2])
		}
	}
	for key := range directives {
		row := "obeyed"
		if key == "host" || key == "match" || key == "include" {
			row = "which lines apply"
		}
		if i := slices.IndexFunc(foreigners, func(f foreign) bool { return f.key == key }); i >= 0 {
			row = "the host is refused by name, unless its transport is `openssh`"
			if foreigners[i].ssh {
				row = "the transport becomes `openssh`"
			}
		}
		assert.Contains(t, rows[row], "`"+key, row)
	}
}

// TestGSSAPIOfTheSystem: Kerberos in the system's file is ignored, because distributions turn it on for every user.
func TestGSSAPIOfTheSystem(t *testing.T) {
	system := filepath.Dir(writeFiles(t, map[string]string{"ssh_config": "Include DIR/d\n", "d": "GSSAPIAuthentication yes\n"}))
	home := t.TempDir()
	d, err := New(Config{Home: home, System: system, User: "u"})
	require.NoError(t, err)
	defer d.Close()
	_, err = d.login(&target.Device{Name: "leaf01"})
	require.NoError(t, err)
}

// TestOwnOnly: the person's own file and included files are refused if others may write them.
func TestOwnOnly(t *testing.T) {
	for _, c := range []struct {
		name    string
		file    string // the file whose rights are changed
		mode    os.FileMode
		uid     int
		cfg     Config
		refused string
	}{
		{"as it should be", "home/.ssh/config", 0o644, -1, Config{}, ""},
		{"group may write", "home/.ssh/config", 0o660, -1, Config{}, "others may write it (mode 0660); chmod go-w it"},
		{"all may write", "home/.ssh/config", 0o602, -1, Config{}, "others may write it (mode 0602)"},
		{"included", "home/.ssh/d/1", 0o620, -1, Config{}, "d/1: others may write it"},
		{"of another user", "home/.ssh/config", 0o600, 12345, Config{}, "it belongs to the user 12345"},
		{"the system's", "etc/ssh_config", 0o666, -1, Config{}, ""},
		{"the system's, included", "etc/d", 0o666, -1, Config{}, "d: others may write it"},
		{"named by the person", "mine", 0o666, -1, Config{ConfigFile: "mine"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"home/.ssh/config": "Include d/*\n", "home/.ssh/d/1": "", "etc/ssh_config": "Include d\n",
				"etc/d": "", "mine": "",
			} {
				require.NoError(t, writeFile(filepath.Join(dir, name), text))
			}
			require.NoError(t, os.Chmod(filepath.Join(dir, c.file), c.mode))
			if c.uid >= 0 {
				if err := os.Chown(filepath.Join(dir, c.file), c.uid, -1); os.Getuid() != 0 {
					require.Error(t, err, "only root gives files away")
					return
				}
			}
			c.cfg.Home, c.cfg.System = filepath.Join(dir, "home"), filepath.Join(dir, "etc")
			if c.cfg.ConfigFile != "" {
				c.cfg.ConfigFile = filepath.Join(dir, c.cfg.ConfigFile)
			}
			_, err := readRules(c.cfg)
			if c.refused == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.refused)
			_, err = New(c.cfg)
			require.ErrorIs(t, err, ErrConfig)
		})
	}
}

func TestSplitHop(t *testing.T) {
	for in, want := range map[string][3]string{
		"b":                      {"", "b", ""},
		"u@b":                    {"u", "b", ""},
		"u@corp@b:22":            {"u@corp", "b", "22"},
		"ssh://u@b:2222/":        {"u", "b", "2222"},
		"[fe80::1]:22":           {"", "fe80::1", "22"},
		"[fe80::1]":              {"", "fe80::1", ""},
		"fe80::1":                {"", "fe80::1", ""},
		"u@[2001:db8::1%eth0]:1": {"u", "2001:db8::1%eth0", "1"},
	} {
		user, host, port, err := splitHop(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, [3]string{user, host, port}, in)
	}
	for _, in := range []string{"", "u@", ":22", "b:0", "b:65536", "b:x", "[b", "[b]x", "a b"} {
		_, _, _, err := splitHop(in)
		require.Error(t, err, in)
	}
}

// FuzzRules: no text of ssh_config makes the reader panic or hang, and every error names its line.
func FuzzRules(f *testing.F) {
	for _, files := range parityConfigs {
		f.Add([]byte(files["config"]), "leaf01")
	}
	f.Add([]byte("= foo\n"), "")
	f.Add([]byte("Host"), "*")
	f.Add([]byte("Match host"), "a")
	f.Add([]byte("Host *\nProxyJump bastion\n"), "le::0") // ":0" is part of the name
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		var parsed file
		for line := range strings.Lines(string(text)) {
			d, err := parseLine(line)
			if err != nil {
				return
			}
			if d.key != "" && d.key != "include" {
				d.at = place{"config", 1}
				parsed = append(parsed, d)
			}
		}
		d := &Dialer{cfg: Config{Home: "/h", User: "u"}, rules: &rules{files: []file{parsed}}, keys: new(keyring)}
		d.keys.files = make(map[string]*key)
		if _, err := d.resolve(name, "", "", "", nil); err != nil && strings.Contains(err.Error(), "config:0") {
			t.Errorf("no line: %v", err)
		}
	})
}

func TestFailureText(t *testing.T) {
	err := failure(ErrLogin, errors.New("x"), "device says %s", "\x1b]0;title\a")
	assert.Equal(t, `device says \x1b]0;title\a`, err.Error())
	require.ErrorIs(t, err, ErrLogin)
}

// writeFile writes a file that other users cannot read, with the folders above it.
func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// TestTransport checks which transport carries the session.
func TestTransport(t *testing.T) {
	const plain, proxy, exec = "User u\n", "ProxyCommand nc\n", "Match exec true\n User x\n"
	for _, c := range []struct {
		config, transport, program string
		openssh                    bool
		refused                    string
	}{
		{plain, "", "ssh", false, ""},
		{plain, "native", "ssh", false, ""},
		{plain, "openssh", "ssh", true, ""},
		{proxy, "", "ssh", true, ""},
		{proxy, "openssh", "ssh", true, ""},
		{proxy, "native", "ssh", false, "ProxyCommand"},
		{proxy, "", "", false, "ProxyCommand"},
		{"Host leaf*\n ProxyJump b\nHost b\n " + proxy, "", "ssh", true, ""},
		{exec, "", "ssh", false, "Match exec"},
		{exec, "openssh", "ssh", true, ""},
		{"KnownHostsCommand x\n", "", "ssh", false, "KnownHostsCommand"},
		{"KnownHostsCommand x\n", "openssh", "ssh", true, ""},
	} {
		d, err := New(Config{ConfigFile: writeFiles(t, map[string]string{"config": c.config}), Home: "/home/u", User: "u", OpenSSH: c.program})
		require.NoError(t, err)
		l, err := d.login(&target.Device{
			Name:  "leaf01",
			Login: target.Login{Transport: c.transport, HostKey: "SHA256:" + strings.Repeat("A", 43)},
		})
		require.NoError(t, d.Close())
		if c.refused != "" {
			require.ErrorContains(t, err, c.refused, "%+v", c)
			continue
		}
		require.NoError(t, err, "%+v", c)
		assert.Equal(t, c.openssh, l.openssh != nil, "%+v", c)
		assert.Equal(t, "leaf01:22", l.lookup)
		assert.Contains(t, l.known, "/home/u/.ssh/known_hosts")
		if c.openssh {
			assert.Nil(t, l.via)
		}
	}
}
