package ssh

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/target"
)

// parityConfigs are read by ssh itself and by us. DIR stands for the folder of the files.
var parityConfigs = map[string]map[string]string{
	"patterns": {"config": `
# comment
User early
Host leaf* !leaf09
	HostName %h.example.net
	User leafer
Host spine?	core*
  Port=2222
  User = spiner
Host "a b" leaf09 # trailing comment
  IdentityFile ~/.ssh/one
  IdentityFile "~/.ssh/with blank"
  IdentityFile ~/.ssh/one
Host *
  Port 2200
  User late
  IdentityFile ~/.ssh/%r_%n
  IdentitiesOnly yes
`},
	"first wins": {"config": `
Host leaf01
  User one
Host leaf*
  User two
  Port 1
Host *
  User three
  Port 2
  HostKeyAlias %%k
`},
	"include": {
		"config": `
Include DIR/conf.d/*.conf DIR/nothing/*
Host leaf01
  Include DIR/inner
  Port 44
User last
`,
		"conf.d/10-a.conf": "Host spine1\n  User ten\n",
		"conf.d/20-b.conf": "Host spine*\n  User twenty\n  Port 20\n",
		// A Host line inside an included file counts only where the Include itself applies.
		"inner": "User inner\nHost *\n  HostName inner.example.net\n",
	},
	"match": {"config": `
Match host leaf01,leaf09
  User by-list
Match originalhost spine1 user nobody
  Port 77
Match host core1.example.net
  Port 88
Host core1
  HostName %h.example.net
Match host core1.example.net
  Port 99
Match !host spine*
  IdentityFile ~/.ssh/not-spine
Match localuser root,nobody
  IdentityFile ~/.ssh/local
Match all
  User everyone
Match host spine2 exec "echo must not run"
  User never
`},
	"final": {"config": `
Match final host core1.example.net
  User final-host
Match final
  Port 5555
  IdentityFile ~/.ssh/final
Host core1
  HostName %h.example.net
  IdentityFile ~/.ssh/first
Host *.example.net
  HostKeyAlias second-pass
Match !final
  IdentityFile ~/.ssh/not-final
`},
	"jump": {"config": `
Host leaf01
  ProxyJump bastion
Host leaf09
  ProxyJump none
Host spine*
  ProxyJump u@b1:2222,b2
Host bastion
  User b
Host *
  ProxyJump other
`},
	"spelling": {"config": "HOST leaf01\n  hostNAME = ten.example.net\n  PORT=\"23\"\n\tuser\tx\r\n  IdentitiesOnly=yes\n  UserKnownHostsFile DIR/a \"DIR/b c\"\n" +
		"  GlobalKnownHostsFile none\n  IdentityFile '~/.ssh/single quoted'\n  IdentityFile ~/.ssh/back\\ slash\n  IdentityFile ~/.ssh/in#side # out"},
}

// TestParity compares what we read with what ssh says itself.
func TestParity(t *testing.T) {
	client, err := exec.LookPath("ssh")
	require.NoError(t, err, "install OpenSSH: apt-get install openssh-client")
	local, err := exec.Command("id", "-un").Output()
	require.NoError(t, err)
	for name, files := range parityConfigs {
		config := writeFiles(t, files)
		rules, err := readRules(Config{ConfigFile: config, Home: "/nonexistent"})
		require.NoError(t, err, name)
		for _, host := range []string{"leaf01", "leaf09", "spine1", "spine12", "core1", "a", "bastion", "192.0.2.1"} {
			for _, user := range []string{"", "nobody"} {
				args := []string{"-G", "-F", config}
				var given []directive
				if user != "" {
					args = append(args, "-l", user)
					given = []directive{{key: "user", args: []string{user}}}
				}
				cmd := exec.Command(client, append(args, host)...)
				out, err := cmd.Output()
				require.NoError(t, err, "%s: ssh %v", name, cmd.Args)
				s, err := rules.find(host, strings.TrimSpace(string(local)), given...)
				require.NoError(t, err)
				assert.Equal(t, theirs(string(out)), ours(t, s, host, strings.TrimSpace(string(local))), "%s, %s, user %q", name, host, user)
			}
		}
	}
}

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", dir)), 0o600))
	}
	return filepath.Join(dir, "config")
}

// theirs picks what matters from the output of ssh -G.
func theirs(out string) map[string][]string {
	got := make(map[string][]string)
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "hostname", "user", "port", "identitiesonly", "proxyjump", "hostkeyalias", "identityfile":
			got[key] = append(got[key], value)
		case "userknownhostsfile":
			if !strings.Contains(value, "/.ssh/known_hosts") { // the default
				got[key] = append(got[key], value)
			}
		}
	}
	// What ssh fills in when there is no IdentityFile.
	if len(got["identityfile"]) > 0 && got["identityfile"][0] == "~/.ssh/id_rsa" {
		delete(got, "identityfile")
	}
	return got
}

func ours(t *testing.T, s *settings, name, local string) map[string][]string {
	t.Helper()
	got := map[string][]string{"hostname": {name}, "user": {local}, "port": {"22"}, "identitiesonly": {"no"}}
	for key, d := range s.first {
		switch key {
		case "hostname":
			host, err := expand(d, map[byte]string{'h': name})
			require.NoError(t, err)
			got[key] = []string{host}
		case "userknownhostsfile":
			got[key] = []string{strings.Join(d.args, " ")}
		case "proxyjump":
			if d.args[0] != "none" {
				got[key] = []string{d.args[0]}
			}
		case "user", "port", "identitiesonly", "hostkeyalias":
			got[key] = []string{d.args[0]}
		}
	}
	for _, d := range s.keys {
		got["identityfile"] = append(got["identityfile"], d.args[0])
	}
	return got
}

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

// TestSources: which files are read.
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
	defaults := []keyFile{{"/home/u/.ssh/id_ed25519", false}, {"/home/u/.ssh/id_ecdsa", false}, {"/home/u/.ssh/id_rsa", false}}
	b := &login{name: "b", host: "b", port: "22", user: "u", lookup: "b:22", known: usual, keys: defaults, agent: "/run/agent"}
	ten := &login{name: "10.0.0.1", host: "10.0.0.1", port: "2200", user: "jumper", lookup: "10.0.0.1:2200", known: usual, keys: defaults, agent: "/run/agent", via: b}
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
			login{name: "fe80::1", host: "fe80::1", port: "2222", user: "cumulus", lookup: "[fe80::1]:2222", known: usual, keys: defaults, agent: "/run/agent", pin: pin},
			"ssh -p 2222 cumulus@fe80::1",
		},
		{
			"ssh block wins", "User x\nPort 1\nProxyJump x\n",
			target.Login{Port: 2222, User: "cumulus", Jump: "none"},
			login{name: "leaf01", host: "leaf01", port: "2222", user: "cumulus", lookup: "leaf01:2222", known: usual, keys: defaults, agent: "/run/agent"},
			"ssh -p 2222 cumulus@leaf01",
		},
		{
			"files", "Host leaf01\n HostName LEAF01.example.net\n UserKnownHostsFile ~/k1 /k/%n-%h-%p-%r-%u-%%\n GlobalKnownHostsFile none\n IdentityFile %d/a\n IdentityFile none\n" +
				" IdentitiesOnly yes\n IdentityAgent ~/agent-%r\n",
			target.Login{},
			login{
				name: "leaf01", host: "LEAF01.example.net", port: "22", user: "u", lookup: "leaf01.example.net:22",
				known: []string{"/home/u/k1", "/k/leaf01-LEAF01.example.net-22-u-u-%"}, keys: []keyFile{{"/home/u/a", true}}, only: true, agent: "/home/u/agent-u",
			},
			"ssh u@leaf01",
		},
		{
			"two jump hosts", "",
			target.Login{Jump: "b, jumper@10.0.0.1:2200"},
			login{name: "leaf01", host: "leaf01", port: "22", user: "u", lookup: "leaf01:22", known: usual, keys: defaults, agent: "/run/agent", via: ten},
			"ssh -J u@b:22,jumper@10.0.0.1:2200 u@leaf01",
		},
		{
			"a jump host that has one", "Host 10.0.0.1\n ProxyJump b\n User jumper\nHost leaf*\n ProxyJump 10.0.0.1:2200\n",
			target.Login{},
			login{name: "leaf01", host: "leaf01", port: "22", user: "u", lookup: "leaf01:22", known: usual, keys: defaults, agent: "/run/agent", via: ten},
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
		{"exec", "Host x\n User y\nMatch host leaf* exec \"nc -z %h 22\"\n User z\n", target.Login{}, `config:3: rocec does not decide "Match exec"`},
		{"a criterion of tomorrow", "Match weather=rain\n", target.Login{}, `config:1: rocec does not decide "Match weather"`},
		{"match without value", "Match host\n", target.Login{}, "config:1: Match host has no value"},
		{"proxy command", "Host leaf*\n ProxyCommand ssh -W %h:%p \"b\n", target.Login{}, "config:2: ProxyCommand for \"leaf01\""},
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

// FuzzRules: no text of ssh_config makes us panic or hang, and every error names its line.
func FuzzRules(f *testing.F) {
	for _, files := range parityConfigs {
		f.Add([]byte(files["config"]), "leaf01")
	}
	f.Add([]byte("= foo\n"), "")
	f.Add([]byte("Host"), "*")
	f.Add([]byte("Match host"), "a")
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
		d := &Dialer{cfg: Config{Home: "/h", User: "u"}, rules: &rules{files: []file{parsed}}}
		if _, err := d.resolve(name, "", "", "", nil); err != nil && strings.Contains(err.Error(), ":0") {
			t.Errorf("no line: %v", err)
		}
	})
}

func TestFailureText(t *testing.T) {
	err := failure(ErrLogin, errors.New("x"), "device says %s", "\x1b]0;title\a")
	assert.Equal(t, `device says \x1b]0;title\a`, err.Error())
	require.ErrorIs(t, err, ErrLogin)
}
