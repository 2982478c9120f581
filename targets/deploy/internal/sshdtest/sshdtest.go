// Package sshdtest starts real OpenSSH servers for tests: sshd of the system, on loopback, with separate keys and a separate
// configuration. The package neither reads nor writes files of the machine's own sshd, or of any ~/.ssh folder.
//
// The test itself listens and hands every connection to an `sshd -i`, as inetd does. So a server has its port before
// it starts, and a test can kill or stop the processes of one server and no other.
package sshdtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// Options are the differences between servers.
type Options struct {
	HostKeys  []string          // types: "ed25519", "ecdsa", "rsa", "rsa:1024" for a size; nil: ed25519
	HostCA    *Key              // key that signs the host keys, for Principal; nil: no certificates
	Principal string            // default 127.0.0.1
	Command   string            // command that runs instead of the client's command (see ForceCommand in sshd_config(5))
	Env       map[string]string // environment of sessions
	Authorize []string          // further lines of authorized_keys
	Config    []string          // further lines of sshd_config, at its beginning, because the first value counts

	// Daemon makes sshd itself listen, so that its MaxStartups applies. Connections and Open do not work in this mode.
	Daemon bool
}

// Server is a running server. Its sessions run as the user who runs the test, with that user's login shell.
type Server struct {
	Addr      string // "127.0.0.1:40123"
	Host      string
	Port      int
	User      string
	ClientKey *Key            // key that lets the user log in
	HostKeys  map[string]*Key // by type

	t        testing.TB
	dir      string
	sshd     string
	listener net.Listener

	mu    sync.Mutex
	procs map[int]bool // processes that serve a connection
	count int          // number of all connections so far
	done  sync.WaitGroup
}

// Key is a key pair made by ssh-keygen.
type Key struct {
	Path        string // of the private key
	PEM         []byte
	Public      string // "ssh-ed25519 AAAA…", without comment
	Fingerprint string // "SHA256:…"
}

// NewKey makes a key pair below a temporary folder.
func NewKey(t testing.TB, kind, passphrase string, more ...string) *Key {
	t.Helper()
	machinetest.Need(t, "ssh-keygen")
	k, err := MakeKey(filepath.Join(t.TempDir(), "id_"+kind), kind, passphrase, more...)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// MakeKey makes a key pair at path. more contains further arguments of ssh-keygen.
func MakeKey(path, kind, passphrase string, more ...string) (*Key, error) {
	args := []string{"-q", "-t", kind, "-N", passphrase, "-C", "", "-f", path}
	if kind == "rsa" {
		args = append(args, "-b", "2048")
	}
	if err := keygen(append(args, more...)...); err != nil {
		return nil, err
	}
	private, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	public, err := os.ReadFile(path + ".pub")
	if err != nil {
		return nil, err
	}
	line := strings.TrimSpace(string(public))
	blob, err := base64.StdEncoding.DecodeString(strings.Fields(line)[1])
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(blob)
	return &Key{Path: path, PEM: private, Public: line, Fingerprint: "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])}, nil
}

// Certify signs a key of a user or a host, and writes its certificate beside it (-cert.pub).
func (ca *Key) Certify(t testing.TB, k *Key, host bool, principals string) {
	t.Helper()
	args := []string{"-q", "-s", ca.Path, "-I", "test", "-n", principals, "-V", "-1h:+1h"}
	if host {
		args = append(args, "-h")
	}
	if err := keygen(append(args, k.Path+".pub")...); err != nil {
		t.Fatal(err)
	}
}

func keygen(args ...string) error {
	path, err := machinetest.Find("ssh-keygen")
	if err != nil {
		return err
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ssh-keygen %q: %w\n%s", args, err, out)
	}
	return nil
}

// Start starts a server. The server and all processes of its sessions end with the test. With -short, Start skips the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if testing.Short() {
		t.Skip("make check starts no server; make test does")
	}
	sshd := machinetest.Need(t, "sshd") // sshd requires an absolute path
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if me.Uid == "0" {
		// sshd of Debian uses this folder as a chroot before a login. On other machines systemd makes the folder.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := &Server{t: t, dir: t.TempDir(), sshd: sshd, User: me.Username, procs: make(map[int]bool), HostKeys: make(map[string]*Key)}
	s.ClientKey = NewKey(t, "ed25519", "")
	if o.HostKeys == nil {
		o.HostKeys = []string{"ed25519"}
	}
	if o.Principal == "" {
		o.Principal = "127.0.0.1"
	}

	config := slices.Clone(o.Config)
	for _, kind := range o.HostKeys {
		var size []string
		name, bits, sized := strings.Cut(kind, ":")
		if sized {
			size = []string{"-b", bits}
		}
		k := NewKey(t, name, "", size...)
		s.HostKeys[kind] = k
		config = append(config, "HostKey "+k.Path)
		if o.HostCA != nil {
			o.HostCA.Certify(t, k, true, o.Principal)
			config = append(config, "HostCertificate "+k.Path+"-cert.pub")
		}
	}
	keys := filepath.Join(s.dir, "authorized_keys")
	s.write(keys, strings.Join(append(o.Authorize, s.ClientKey.Public), "\n")+"\n")
	config = append(config,
		"AuthorizedKeysFile "+keys,
		"StrictModes no", // the folder of a test may be below /tmp
		"UsePAM no",
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"PermitRootLogin yes",
		"PermitUserRC no",
		"PrintMotd no",
		"PrintLastLog no",
		"PidFile none",
		"LogLevel VERBOSE",
	)
	if o.Command != "" {
		config = append(config, "ForceCommand "+o.Command)
	}
	env := map[string]string{"HOME": s.dir} // no start-up files of the user's shell
	maps.Copy(env, o.Env)
	setEnv := []string{"SetEnv"}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		setEnv = append(setEnv, fmt.Sprintf(`"%s=%s"`, name, env[name]))
	}
	config = append(config, strings.Join(setEnv, " "))
	s.write(s.file("config"), strings.Join(config, "\n")+"\n")
	s.listener, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := s.listener.Addr().(*net.TCPAddr)
	s.Addr, s.Host, s.Port = addr.String(), addr.IP.String(), addr.Port
	if o.Daemon {
		s.listener.Close() // sshd will use this port; the kernel does not give it to another process so soon
		s.listen()
	} else {
		s.done.Go(s.serve)
	}
	t.Cleanup(func() {
		s.listener.Close()
		s.Kill()
		s.done.Wait()
		if t.Failed() {
			t.Logf("sshd at %s:\n%s", s.Addr, s.Log())
			if out, err := exec.Command(s.sshd, "-t", "-f", s.file("config")).CombinedOutput(); err != nil {
				t.Logf("sshd does not take its configuration: %v\n%s", err, out)
			}
		}
	})
	return s
}

func (s *Server) file(name string) string { return filepath.Join(s.dir, name) }

func (s *Server) write(path, text string) {
	s.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// listen starts an sshd that listens itself, and waits until it listens.
func (s *Server) listen() {
	s.t.Helper()
	log, err := os.OpenFile(s.file("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(s.sshd, "-D", "-e", "-f", s.file("config"), "-o", "ListenAddress="+s.Addr)
	cmd.Stderr = log
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.procs[cmd.Process.Pid] = true
	ended := make(chan struct{})
	s.done.Go(func() {
		_ = cmd.Wait() // Wait reports that sshd was killed
		close(ended)
	})
	for {
		if c, err := net.Dial("tcp", s.Addr); err == nil {
			c.Close()
			return
		}
		select {
		case <-ended:
			s.t.Fatalf("sshd ended:\n%s", s.Log())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// serve starts a separate sshd for every connection.
func (s *Server) serve() {
	log, err := os.OpenFile(s.file("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer log.Close()
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return // closed
		}
		sock, err := c.(*net.TCPConn).File()
		c.Close()
		if err != nil {
			s.t.Error(err)
			continue
		}
		cmd := exec.Command(s.sshd, "-i", "-e", "-f", s.file("config"))
		cmd.Stdin, cmd.Stdout, cmd.Stderr = sock, sock, log
		cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
		err = cmd.Start()
		sock.Close()
		if err != nil {
			s.t.Error(err)
			continue
		}
		s.mu.Lock()
		s.procs[cmd.Process.Pid] = true
		s.count++
		s.mu.Unlock()
		s.done.Go(func() {
			_ = cmd.Wait() // the client handles the result of the session
			s.mu.Lock()
			delete(s.procs, cmd.Process.Pid)
			s.mu.Unlock()
		})
	}
}

// Connections returns the number of all connections so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Open returns the number of open connections.
func (s *Server) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.procs)
}

// Log returns the log of the server.
func (s *Server) Log() string {
	data, _ := os.ReadFile(s.file("log")) // no log if there was no connection
	return string(data)
}

// HostKeyPin returns the fingerprint of the first host key: the host_key of an ssh block.
func (s *Server) HostKeyPin() string {
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		if k := s.HostKeys[kind]; k != nil {
			return k.Fingerprint
		}
	}
	return ""
}

// KnownHostsLine returns the line of known_hosts for one of the server's keys.
func (s *Server) KnownHostsLine(kind string) string {
	return fmt.Sprintf("[%s]:%d %s\n", s.Host, s.Port, s.HostKeys[kind].Public)
}

// Kill ends every session and its processes at once, as if the server had lost its power.
func (s *Server) Kill() { s.signal(syscall.SIGKILL, true) }

// Cut ends every connection at once; commands of the sessions go on.
func (s *Server) Cut() { s.signal(syscall.SIGKILL, false) }

// Freeze stops every session: the server accepts connections and does not answer. Thaw lets it continue.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP, true) }

// Thaw ends a Freeze.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT, true) }

// signal sends a signal to the processes of sshd and, if all is set, to the processes that sshd started.
func (s *Server) signal(sig syscall.Signal, all bool) {
	s.mu.Lock()
	var pids []int
	for pid := range s.procs {
		pids = append(pids, pid)
	}
	s.mu.Unlock()
	children := Children()
	for len(pids) > 0 {
		pid := pids[0]
		pids = append(pids[1:], children[pid]...)
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); all || strings.HasPrefix(string(name), "sshd") {
			_ = syscall.Kill(pid, sig) // the process may have ended already
		}
	}
}

// Children returns the child processes of every process of this machine.
func Children() map[int][]int {
	all := make(map[int][]int)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // the process has ended meanwhile
		}
		// "PID (NAME) STATE PPID …"; the name may contain any character.
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		pid, err1 := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		parent, err2 := strconv.Atoi(fields[1])
		if err1 == nil && err2 == nil {
			all[parent] = append(all[parent], pid)
		}
	}
	return all
}
