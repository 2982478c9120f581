package ssh

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// parityConfigs contains configurations that ssh and rocec read. DIR stands for the folder of the files.
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
		// A Host line inside an included file only applies if the Include itself applies.
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
	"spelling": {"config": "HOST leaf01\n  hostNAME = ten.example.net\n  PORT=\"23\"\n\tuser\tx\r\n  IdentitiesOnly=yes\n  " +
		"UserKnownHostsFile DIR/a \"DIR/b c\"\n" +
		"  GlobalKnownHostsFile none\n  IdentityFile '~/.ssh/single quoted'\n  IdentityFile ~/.ssh/back\\ slash\n  IdentityFile " +
		"~/.ssh/in#side # out"},
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

// compared lists the settings that are compared with ssh -G.
var compared = []string{
	"addressfamily", "bindaddress", "bindinterface", "canonicalizehostname", "certificatefile", "globalknownhostsfile", "gssapiauthentication",
	"hostkeyalias", "hostname", "identitiesonly", "identityagent", "identityfile", "knownhostscommand", "pkcs11provider", "port",
	"preferredauthentications", "proxycommand", "proxyjump", "pubkeyauthentication", "revokedhostkeys", "securitykeyprovider", "user",
	"userknownhostsfile",
}

// asked is a call of ssh, with the settings on its command line.
type asked struct{ host, user, port string }

// theirs returns the settings of a host by ssh.
func theirs(t require.TestingT, config string, a asked) map[string][]string {
	path, err := machinetest.Find("ssh")
	require.NoError(t, err)
	args := []string{"-G", "-F", config}
	if a.user != "" {
		args = append(args, "-l", a.user)
	}
	if a.port != "" {
		args = append(args, "-p", a.port)
	}
	out, err := exec.Command(path, append(args, "--", a.host)...).Output()
	if exit, failed := err.(*exec.ExitError); failed {
		require.NoError(t, err, "ssh %v: %s", args, exit.Stderr)
	}
	require.NoError(t, err)
	got := make(map[string][]string)
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if slices.Contains(compared, key) {
			got[key] = append(got[key], plainFlag(value))
		}
	}
	return got
}

// plainFlag returns a single spelling of yes and no.
func plainFlag(value string) string {
	switch strings.ToLower(value) {
	case "yes", "true":
		return "yes"
	case "no", "false":
		return "no"
	}
	return value
}

var localName = sync.OnceValue(func() string {
	out, err := exec.Command("id", "-un").Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
})

// ours returns the same settings by rocec's reader. defaults contains the defaults of ssh.
func ours(t require.TestingT, rules *rules, a asked, defaults map[string][]string) map[string][]string {
	var given []directive
	for key, value := range map[string]string{"user": a.user, "port": a.port} {
		if value != "" {
			given = append(given, directive{key: key, args: []string{value}})
		}
	}
	s, err := rules.find(a.host, localName(), given...)
	require.NoError(t, err)
	got := maps.Clone(defaults)
	for key, d := range s.first {
		value := strings.Join(d.args, " ")
		switch key {
		case "proxyjump", "proxycommand", "revokedhostkeys", "pkcs11provider", "securitykeyprovider", "knownhostscommand":
			if strings.EqualFold(value, "none") { // ssh does not print these
				delete(got, key)
				continue
			}
		case "hostkeyalias", "addressfamily", "pubkeyauthentication":
			value = strings.ToLower(value)
		}
		got[key] = []string{plainFlag(value)}
	}
	for key, list := range s.all {
		delete(got, key)
		for _, d := range list {
			got[key] = append(got[key], d.args[0])
		}
	}
	got["hostname"] = []string{s.host}
	return got
}

// defaultsOf returns the defaults of ssh for a host.
var defaultsOf sync.Map

// sameAsSSH compares rocec's reading of a configuration file with ssh's reading.
func sameAsSSH(t require.TestingT, config string, calls ...asked) {
	rules, err := readRules(Config{ConfigFile: config, Home: "/nonexistent"})
	require.NoError(t, err)
	for _, a := range calls {
		known, ok := defaultsOf.Load(a.host)
		if !ok {
			known, _ = defaultsOf.LoadOrStore(a.host, theirs(t, "none", asked{host: a.host}))
		}
		defaults := known.(map[string][]string)
		want := theirs(t, config, a)
		if got := ours(t, rules, a, defaults); !assert.ObjectsAreEqual(want, got) {
			text, _ := os.ReadFile(config)
			assert.Equal(t, want, got, "%+v in\n%s", a, text)
			t.FailNow()
		}
	}
}

// TestParity compares rocec's reading of handwritten files with ssh's reading.
func TestParity(t *testing.T) {
	t.Parallel()
	machinetest.Need(t, "ssh")
	for name, files := range parityConfigs {
		t.Run(name, func(t *testing.T) {
			config := writeFiles(t, files)
			for _, host := range []string{"leaf01", "leaf09", "spine1", "spine12", "core1", "a", "bastion", "192.0.2.1", "LEAF01", "Core1"} {
				sameAsSSH(t, config, asked{host: host}, asked{host: host, user: "nobody"}, asked{host: host, port: "2022"})
			}
		})
	}
}

// TestAgainstSSH compares rocec's reading of random files with ssh's reading. make test-long repeats it 4,000 times.
func TestAgainstSSH(t *testing.T) {
	if testing.Short() {
		t.Skip("make check does not start ssh hundreds of times; make test does")
	}
	machinetest.Need(t, "ssh")
	rapid.Check(t, againstSSH(t.TempDir()))
}

// FuzzAgainstSSH is TestAgainstSSH for the fuzzer, whose input chooses the files.
func FuzzAgainstSSH(f *testing.F) {
	machinetest.Need(f, "ssh")
	f.Add([]byte(strings.Repeat("\x00\x01\x02\x03\x05\x08\x0d\x15", 64)))
	f.Add([]byte(strings.Repeat("leaf01 final host ", 64)))
	property := rapid.MakeFuzz(againstSSH(f.TempDir()))
	f.Fuzz(property)
}

// configText returns random lines of an ssh_config.
type configText struct {
	*rapid.T
	secondPass bool // whether a line requests the final pass
}

// one returns a random value of the given values.
func (t configText) one(label string, values ...string) string {
	return rapid.SampledFrom(values).Draw(t.T, label)
}

// spelled writes a keyword in a random valid spelling.
func (t configText) spelled(key string) string {
	if rapid.Bool().Draw(t.T, "upper") {
		key = strings.ToUpper(key)
	}
	return t.one("indent", "", "", "\t", "  ") + key + t.one("is", " ", "\t", "=", " = ", "= ", " =")
}

// quoted writes a value in a random valid form.
func (t configText) quoted(value string) string {
	switch how := rapid.IntRange(0, 5).Draw(t.T, "quotes"); {
	case strings.Contains(value, "'") || how == 0 && !strings.Contains(value, `"`):
		return `"` + value + `"`
	case how == 1:
		return "'" + value + "'"
	}
	return strings.ReplaceAll(value, " ", `\ `)
}

func (t configText) criterion() string {
	kind := t.one("criterion", "host", "host", "originalhost", "user", "localuser")
	value := t.one("value", "leaf*", "LEAF01", "leaf01,spine*", "*,!leaf02", "ten.example.net", "nobody", "root,u", "*", "!root,*",
		"192.0.2.7")
	return t.one("negated", "", "", "!") + kind + t.one("is", " ", "  ", "\t", "=") + value
}

func (t configText) match() string {
	var list []string
	switch rapid.IntRange(0, 4).Draw(t.T, "first") {
	case 0:
		return "all"
	case 1:
		list = append(list, "final")
	case 2:
		if t.secondPass { // releases of ssh differ in whether !final alone requests a final pass
			list = append(list, "!final")
		}
	}
	for range rapid.IntRange(0, 2).Draw(t.T, "criteria") {
		list = append(list, t.criterion())
	}
	if len(list) == 0 {
		list = append(list, t.criterion())
	}
	return strings.Join(list, " ")
}

func (t configText) line() string {
	rest := t.one("rest", "", "", " ", "\t# comment", "\r")
	switch rapid.IntRange(0, 11).Draw(t.T, "line") {
	case 0:
		return t.one("nothing", "", "# comment", "  #\t'", "\t")
	case 1, 2:
		var list []string
		for range rapid.IntRange(1, 3).Draw(t.T, "patterns") {
			list = append(list, t.quoted(t.one("pattern", "*", "leaf*", "LEAF*", "leaf0?", "!leaf02", "*.example.net", "spine1",
				"192.0.2.*", "fe80::*", "FE80::7", "ten.*", "!*1", "??af01", "no such")))
		}
		return t.spelled("Host") + strings.Join(list, t.one("between", " ", "\t")) + rest
	case 3, 4:
		return t.spelled("Match") + t.match() + rest
	case 5:
		return t.spelled("HostName") + t.one("host name", "%h.example.net", "ten.example.net", "TEN.Example.net", "192.0.2.7",
			"fe80::7", "2001:db8::0:7", "a%%b") + rest
	case 6:
		key := t.one("key", "User", "IdentityFile", "CertificateFile", "HostKeyAlias", "RevokedHostKeys", "PKCS11Provider",
			"SecurityKeyProvider", "BindAddress", "BindInterface", "PreferredAuthentications")
		return t.spelled(key) + t.quoted(t.one("word", "one", "two", "with blank", "~/.ssh/%r_%h", "UPPER", "none", "NONE", "a#b", "it's")) + rest
	case 7:
		value := "none"
		if rapid.Bool().Draw(t.T, "files") {
			value = t.quoted("/k/one") + " " + t.quoted("/k/t w o")
		}
		return t.spelled(t.one("key", "UserKnownHostsFile", "GlobalKnownHostsFile")) + value + rest
	case 8:
		key := t.one("key", "IdentitiesOnly", "GSSAPIAuthentication")
		return t.spelled(key) + t.one("flag", "yes", "YES", "no", "No", "true", "FALSE") + rest
	case 9:
		return t.spelled("ProxyJump") + t.one("jump", "none", "bastion", "u@gw:2222", "gw2,u@gw:2222")
	case 10:
		return t.spelled(t.one("key", "ProxyCommand", "KnownHostsCommand")) + t.one("command", "none", "nc %h  %p", `nc "a b" # c`)
	}
	return t.one("other", "Port 22", "Port 2022", "port=44", "AddressFamily inet", "AddressFamily ANY", "IdentityAgent /run/agent",
		"identityagent NONE", "IdentityAgent SSH_AUTH_SOCK", "PubkeyAuthentication no", "PubkeyAuthentication Unbound",
		"CanonicalizeHostname no", "SendEnv LANG", "Compression yes") + rest
}

func (t configText) lines(label string) string {
	var b strings.Builder
	for range rapid.IntRange(0, 9).Draw(t.T, label) {
		b.WriteString(t.line() + "\n")
	}
	return b.String()
}

// againstSSH checks the property: for any content of the files, rocec and ssh find the same settings. The files are written into dir.
func againstSSH(dir string) func(*rapid.T) {
	return func(r *rapid.T) {
		t := configText{r, rapid.Bool().Draw(r, "second pass")}
		all := ""
		if t.secondPass {
			all = "Match final\nMatch all\n"
		}
		all += t.lines("before")
		inner, config := filepath.Join(dir, "inner"), filepath.Join(dir, "config")
		require.NoError(t, os.WriteFile(inner, []byte(t.lines("inner")), 0o600))
		if rapid.Bool().Draw(r, "include") {
			all += fmt.Sprintf("Include %s %s/none*\n", inner, dir)
		}
		require.NoError(t, os.WriteFile(config, []byte(all+t.lines("after")), 0o600))
		host := func() string {
			return t.one("host", "leaf01", "leaf02", "LEAF01", "Leaf02.Example.net", "spine1", "192.0.2.7", "FE80::7", "2001:db8:0::7",
				"ten.example.net")
		}
		sameAsSSH(t, config, asked{host: host()}, asked{host(), t.one("user", "", "nobody"), t.one("port", "", "2200")})
	}
}
