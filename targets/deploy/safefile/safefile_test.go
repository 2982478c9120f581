//go:build unix

package safefile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// The users of the matrix. The tests that need several users run as root, who may change the owners of files.
const (
	root  = 0
	me    = 64017 // neither has an account
	other = 64018
)

// readers maps a user to a process of that user that opens files. One process serves all tests, because its start takes seconds under the
// race detector.
var readers = struct {
	sync.Mutex
	of map[int]*readerOf
}{of: map[int]*readerOf{}}

type readerOf struct {
	ask  *json.Encoder
	says *json.Decoder
	quit io.Closer
}

// question is a file that a reader opens, with [safefile.Open] or below a folder.
type question struct {
	Alone bool
	Path  string
}

// readAs opens a file as a user, in a separate process, and returns the content, or "error: " and the error.
func readAs(t *testing.T, uid int, how, path string) string {
	t.Helper()
	readers.Lock()
	defer readers.Unlock()
	r := readers.of[uid]
	if r == nil {
		cmd := exec.Command(reader(), "-test.run", "^TestReader$")
		cmd.Env, cmd.Dir, cmd.Stderr = append(os.Environ(), "SAFEFILE_READER=yes"), "/", os.Stderr
		if uid != os.Geteuid() {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
		}
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		r = &readerOf{json.NewEncoder(in), json.NewDecoder(out), in}
		readers.of[uid] = r
	}
	require.NoError(t, r.ask.Encode(question{how == "open", path}))
	var text string
	require.NoError(t, r.says.Decode(&text))
	return text
}

// reader returns a copy of this program, in a folder that every user may enter.
var reader = sync.OnceValue(func() string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	text, err := os.ReadFile(exe)
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "safefile-")
	if err == nil {
		err = errors.Join(os.Chmod(dir, 0o755), os.WriteFile(dir+"/reader", text, 0o755))
	}
	if err != nil {
		panic(err)
	}
	return dir + "/reader"
})

func TestMain(m *testing.M) {
	code := m.Run()
	for _, r := range readers.of {
		r.quit.Close() //nolint:errcheck // it ends the process
	}
	if os.Getenv("SAFEFILE_READER") == "" && os.Geteuid() == 0 {
		os.RemoveAll(filepath.Dir(reader())) //nolint:errcheck // it is temporary
	}
	os.Exit(code)
}

// TestReader is the process that readAs starts. It answers until its stdin ends.
func TestReader(t *testing.T) {
	if os.Getenv("SAFEFILE_READER") == "" {
		return
	}
	asked, says := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var q question
		if err := asked.Decode(&q); err != nil {
			require.ErrorIs(t, err, io.EOF)
			return
		}
		text, err := q.read()
		if err != nil {
			text = "error: " + err.Error()
		}
		require.NoError(t, says.Encode(text))
	}
}

func (q *question) read() (string, error) {
	if q.Alone {
		f, err := safefile.Open(q.Path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		return string(text), err
	}
	folder, err := safefile.OpenFolder(filepath.Dir(filepath.Dir(q.Path)), 1)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	text, err := folder.ReadFile(filepath.Base(filepath.Dir(q.Path))+"/"+filepath.Base(q.Path), 100)
	return string(text), err
}

// place makes top/sub/file below a folder that all users may enter. It sets the owner and mode of the part under test.
func place(t *testing.T, part string, uid int, mode fs.FileMode, link bool) (file string) {
	t.Helper()
	base, err := os.MkdirTemp("", "safefile-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(base) })
	require.NoError(t, os.Chmod(base, 0o755))
	paths := map[string]string{"top": base + "/top", "sub": base + "/top/sub", "file": base + "/top/sub/file"}
	require.NoError(t, os.MkdirAll(paths["sub"], 0o700))
	require.NoError(t, os.WriteFile(paths["file"], []byte("content"), 0o600))
	for p, path := range paths {
		to, m := uid, mode
		if p != part {
			to, m = me, 0o700
		}
		require.NoError(t, os.Chown(path, to, to))
		require.NoError(t, os.Chmod(path, m))
	}
	if link {
		require.NoError(t, os.Rename(paths[part], base+"/moved"))
		require.NoError(t, os.Symlink(base+"/moved", paths[part]))
		require.NoError(t, os.Lchown(paths[part], me, me))
	}
	return paths["file"]
}

// TestMatrix tries every owner, mode and link for a file, its folder, and the folder above. A path that another user could have written
// is refused, and the message names the path.
func TestMatrix(t *testing.T) {
	machinetest.Root(t, "gives files to other users")
	modes := []fs.FileMode{0o600, 0o644, 0o660, 0o606, 0o666, 0o604, 0o640, 0o622, 0o400, 0o777, 0o755, 0o711, 0o775, 0o700}
	tried := 0
	for _, part := range []string{"file", "sub", "top"} {
		for _, uid := range []int{me, root, other} {
			for _, mode := range modes {
				for _, link := range []bool{false, true} {
					if part != "file" && mode&0o111 == 0 {
						continue // no folder
					}
					tried++
					name := fmt.Sprintf("%s of %d with %04o, link %v", part, uid, mode, link)
					file := place(t, part, uid, mode, link)
					out := readAs(t, me, "folder", file)
					reach := uid == me || mode&0o004 != 0 // only if the user may open the file
					if part != "file" {
						reach = uid == me || mode&0o005 == 0o005
					}
					switch {
					case link:
						assert.Contains(t, out, "it is a symbolic link", name)
					case !reach:
						assert.Contains(t, out, "error: ", name)
						assert.NotContains(t, out, "content", name)
						continue
					case uid == other:
						assert.Contains(t, out, "the user 64018 owns it, who is neither you (64017) nor root", name)
						assert.Contains(t, out, "sudo chown 64017 ", name)
					case mode&0o022 != 0:
						assert.Contains(t, out, fmt.Sprintf("its mode %04o lets ", mode), name)
						assert.Contains(t, out, "chmod go-w ", name)
					default:
						assert.Equal(t, "content", out, name)
					}
					if out != "content" {
						bad := map[string]string{"file": file, "sub": filepath.Dir(file), "top": filepath.Dir(filepath.Dir(file))}[part]
						assert.Contains(t, out, "error: "+bad+" is not used: ", name)
					}
				}
			}
		}
	}
	require.Equal(t, 3*2*(14+5+5), tried)
}

// Only the file itself is checked if the person names it. Other users may read it, and its mode stays.
func TestOpen(t *testing.T) {
	machinetest.Root(t, "gives files to other users")
	for _, uid := range []int{me, root, other} {
		for _, mode := range []fs.FileMode{0o600, 0o644, 0o664, 0o646, 0o604, 0o660} {
			for _, link := range []bool{false, true} {
				name := fmt.Sprintf("%d %04o %v", uid, mode, link)
				file := place(t, "file", uid, mode, link)
				out := readAs(t, me, "open", file)
				if !link && uid != other && mode&0o022 == 0 && (uid == me || mode&0o004 != 0) {
					assert.Equal(t, "content", out, name)
				} else {
					assert.Contains(t, out, "error: ", name)
				}
				info, err := os.Stat(file)
				require.NoError(t, err)
				assert.Equal(t, mode, info.Mode().Perm(), name)
			}
		}
	}
}

// If the user owns a file and others may read it, their read right is removed, for secrecy.
func TestRestricted(t *testing.T) {
	machinetest.Root(t, "gives files to other users")
	for _, part := range []string{"file", "sub"} {
		for _, uid := range []int{me, root} {
			file := place(t, part, uid, 0o755, false)
			require.Equal(t, "content", readAs(t, me, "folder", file))
			info, err := os.Stat(map[string]string{"file": file, "sub": filepath.Dir(file)}[part])
			require.NoError(t, err)
			assert.Equal(t, map[int]fs.FileMode{me: 0o700, root: 0o755}[uid], info.Mode().Perm(), "%s of %d", part, uid)
		}
	}
}

// New files have mode 0600 and new folders 0700. Existing ones are refused by the same rules.
func TestMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "rocec", "runs")
	_, err := safefile.OpenFolder(dir, 2)
	require.ErrorIs(t, err, fs.ErrNotExist)
	f, err := safefile.MakeFolder(dir, 2)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, f.MakeFolder("a/b"))
	require.NoError(t, f.WriteFile("a/b/c", []byte("x")))
	w, err := f.OpenFile("log", os.O_CREATE|os.O_WRONLY|os.O_APPEND)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for name, mode := range map[string]fs.FileMode{"": 0o700, "..": 0o700, "a": 0o700, "a/b": 0o700, "a/b/c": 0o600, "log": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), name)
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, "a"), 0o770))
	var refused *safefile.Refused
	for _, err := range []error{
		f.WriteFile("a/b/c", nil), f.MakeFolder("a/d"), func() error { _, err := f.ReadFile("a/b/c", 1); return err }(),
	} {
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, filepath.Join(dir, "a"), refused.Path)
	}
	require.NoError(t, os.Chmod(dir, 0o770))
	_, err = safefile.OpenFolder(dir, 2)
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, dir, refused.Path)
	require.NoError(t, os.Chmod(dir, 0o700))
	require.NoError(t, os.Chmod(filepath.Join(dir, ".."), 0o777))
	_, err = safefile.MakeFolder(dir, 2)
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, filepath.Dir(dir), refused.Path)
	_, err = safefile.MakeFolder(dir, 1)
	require.NoError(t, err, "the folder above is not rocec's own")
}

// A pipe, a folder or a broken link in the place of a file causes an error at once. A write never follows a link.
func TestNoFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "own")
	f, err := safefile.MakeFolder(dir, 1)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "good"), []byte("good"), 0o600))
	require.NoError(t, os.Symlink("good", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("folder", filepath.Join(dir, "way")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "folder", "x"), nil, 0o600))
	for _, name := range []string{"pipe", "folder", "dangling", "link", "way/x"} {
		_, err := f.ReadFile(name, 10)
		require.Error(t, err, name)
		assert.NotErrorIs(t, err, fs.ErrNotExist, name)
		if name != "way/x" {
			_, err = safefile.Open(filepath.Join(dir, name))
			require.Error(t, err, name)
		}
		_, err = f.OpenFile(name, os.O_CREATE|os.O_WRONLY)
		require.Error(t, err, name)
	}
	_, err = f.ReadFile("good", 3)
	require.ErrorIs(t, err, safefile.ErrTooLarge)
	_, err = f.ReadFile("../own/good", 10)
	require.Error(t, err)
	require.Panics(t, func() { f.OpenFile("good", os.O_TRUNC|os.O_WRONLY) }) //nolint:errcheck // it panics

	require.NoError(t, f.WriteFile("link", []byte("new")))
	require.NoError(t, safefile.Replace(filepath.Join(dir, "dangling"), []byte("new")))
	require.NoError(t, os.Remove(filepath.Join(dir, "dangling")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	text, err := f.ReadFile("good", 10)
	require.NoError(t, err)
	assert.Equal(t, "good", string(text))
	assert.NoFileExists(t, filepath.Join(dir, "nowhere"))
	require.Error(t, f.WriteFile("folder", nil))
	left, err := filepath.Glob(filepath.Join(dir, ".new-*"))
	require.NoError(t, err)
	assert.Empty(t, left)

	require.NoError(t, os.Symlink(dir, dir+"-link"))
	_, err = safefile.OpenFolder(dir+"-link", 1)
	assert.ErrorContains(t, err, "it is a symbolic link")
	for _, name := range []string{"way", "dangling"} {
		for own := range 2 {
			_, err = safefile.MakeFolder(filepath.Join(dir, name), own+1)
			assert.ErrorContains(t, err, "it is a symbolic link", name)
			_, err = safefile.OpenFolder(filepath.Join(dir, name), own+1)
			assert.ErrorContains(t, err, "it is a symbolic link", name)
		}
	}
}

// A folder such as /tmp is refused, and the advice does not break the folder.
func TestSticky(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o777|fs.ModeSticky))
	_, err := safefile.OpenFolder(dir, 1)
	refused, ok := errors.AsType[*safefile.Refused](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "Use a folder of your own", refused.Do)
}

// Advice with a path is quoted for a shell.
func TestAdvice(t *testing.T) {
	for name, want := range map[string]string{
		"a": "chmod go-w %s/a", "it's; $(id)": `chmod go-w '%s/it'\''s; $(id)'`, "a b": "chmod go-w '%s/a b'",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chmod(path, 0o666))
		_, err := safefile.Open(path)
		require.Error(t, err)
		assert.True(t, strings.HasSuffix(err.Error(), fmt.Sprintf(want, dir)), err)
	}
}

// TestOfSystem: every user may make links in the folders in memory below /dev.
func TestOfSystem(t *testing.T) {
	for name, want := range map[string]bool{
		"/dev/stdin": true, "/dev/fd/63": true, "/proc/self/fd/0": true, "/dev/shm/../stdin": true, "/dev/shmem": true,
		"/dev/shm/checkout/vars": false, "/dev/mqueue/q": false, "/dev/fd/../shm/vars": false, "/home/dev/vars": false,
	} {
		require.Equal(t, want, safefile.OfSystem(name), name)
	}
}

// The advice for a link never removes a link of the system.
func TestLinkOfSystem(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink("nowhere", link))
	for name, advice := range map[string]string{
		link:                "remove the link: rm " + link,
		"/dev/stdin":        "Save the content as a file",
		"/dev/fd/0":         "Save the content as a file",
		"/dev/../dev/stdin": "Save the content as a file",
	} {
		_, err := safefile.Open(name)
		refused, ok := errors.AsType[*safefile.Refused](err)
		if !ok && runtime.GOOS != "linux" { // on systems where /dev/stdin is a device
			continue
		}
		require.True(t, ok, "%s: %v", name, err)
		require.Contains(t, refused.Do, advice, name)
	}
}
