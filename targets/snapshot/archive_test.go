package snapshot

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// entry is an entry of an archive of a test.
type entry struct {
	name, data string
	kind       byte // type in tar; 0: a regular file
	link       string
}

func tarOf(t require.TestingT, entries ...entry) []byte {
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: tar.TypeReg, Size: int64(len(e.data)), Mode: 0o644, Linkname: e.link}
		if e.kind != 0 {
			h.Typeflag = e.kind
		}
		require.NoError(t, to.WriteHeader(h))
		_, err := io.WriteString(to, e.data)
		require.NoError(t, err)
	}
	require.NoError(t, to.Close())
	return out.Bytes()
}

func gzipOf(t require.TestingT, data []byte) []byte {
	var out bytes.Buffer
	to := gzip.NewWriter(&out)
	_, err := to.Write(data)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	return out.Bytes()
}

func zipOf(t require.TestingT, entries ...entry) []byte {
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, e := range entries {
		w, err := to.Create(e.name)
		require.NoError(t, err)
		_, err = io.WriteString(w, e.data)
		require.NoError(t, err)
	}
	require.NoError(t, to.Close())
	return out.Bytes()
}

// Unpack returns the same files from every kind of archive, in the order of names.
func TestUnpack(t *testing.T) {
	all := []entry{{name: "site/", kind: tar.TypeDir}, {name: "./site/b/lldp.json", data: "{}"}, {name: "site/a/traffic.conf", data: "x"}}
	want := []File{{Name: "site/a/traffic.conf", Data: []byte("x")}, {Name: "site/b/lldp.json", Data: []byte("{}")}}
	plain := tarOf(t, all...)
	for name, data := range map[string][]byte{"tar": plain, "gzip": gzipOf(t, plain), "zip": zipOf(t, all[1:]...)} {
		require.True(t, IsArchive(data[:min(len(data), HeadSize)]), name)
		files, err := Unpack(bytes.NewReader(data))
		require.NoError(t, err, name)
		require.Equal(t, want, files, name)
	}
	require.False(t, IsArchive([]byte("traffic.packet_priority_source_set = [dscp]\n")))
	require.False(t, IsArchive(nil))
}

// Pack returns equal bytes for equal files, and Unpack returns the files again.
func TestPack(t *testing.T) {
	files := []File{{Name: "a/x", Data: []byte("1")}, {Name: "b", Data: bytes.Repeat([]byte("2"), 5000)}}
	one, err := Pack(files)
	require.NoError(t, err)
	two, err := Pack(files)
	require.NoError(t, err)
	require.Equal(t, one, two)
	back, err := Unpack(bytes.NewReader(one))
	require.NoError(t, err)
	require.Equal(t, files, back)
}

// An entry that leads out of the archive is named, and has no data.
func TestHostileEntries(t *testing.T) {
	for _, c := range []struct{ name, is, why string }{
		{"../etc/traffic.conf", "../etc/traffic.conf", "Its name leads out of the archive."},
		{"a/../../traffic.conf", "../traffic.conf", "Its name leads out of the archive."},
		{"/etc/traffic.conf", "/etc/traffic.conf", "Its name leads out of the archive."},
		{`..\traffic.conf`, "../traffic.conf", "Its name leads out of the archive."},
		{"a/../b", "b", ""},
	} {
		for kind, data := range map[string][]byte{
			"tar": tarOf(t, entry{name: c.name, data: "x"}), "zip": zipOf(t, entry{name: c.name, data: "x"}),
		} {
			files, err := Unpack(bytes.NewReader(data))
			require.NoError(t, err, kind)
			require.Len(t, files, 1, kind)
			require.Equal(t, c.is, files[0].Name, kind)
			require.Equal(t, c.why, files[0].Why, kind)
			require.Equal(t, c.why != "", files[0].Data == nil, kind)
		}
	}
	files, err := Unpack(bytes.NewReader(tarOf(t,
		entry{name: "a", kind: tar.TypeSymlink, link: "/etc/shadow"}, entry{name: "b", kind: tar.TypeLink, link: "a"},
		entry{name: "c", kind: tar.TypeFifo}, entry{name: "d", data: "1"}, entry{name: "./d", data: "2"},
		entry{name: strings.Repeat("n", mostName+1), data: "3"},
	)))
	require.NoError(t, err)
	var why []string
	for _, f := range files {
		require.Nil(t, f.Data, f.Name)
		why = append(why, f.Why)
	}
	const link = "It is not a regular file of the archive."
	require.Equal(t, []string{link, link, link, "The archive has two entries of this name.", "Its name is longer than 1024 bytes."}, why)
}

// zeros is a file of zeros, which packs to almost nothing.
type zeros int64

func (z *zeros) Read(p []byte) (int, error) {
	if *z <= 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), int64(*z))
	clear(p[:n])
	*z -= zeros(n)
	return int(n), nil
}

// An archive that is cut off at any byte, or unpacks to more than the limits, is an error.
func TestBrokenArchives(t *testing.T) {
	whole := gzipOf(t, tarOf(t, entry{name: "a", data: strings.Repeat("abc", 100)}, entry{name: "b", data: "d"}))
	for n := HeadSize / 256; n < len(whole); n++ {
		_, err := Unpack(bytes.NewReader(whole[:n]))
		require.Error(t, err, "%d of %d bytes", n, len(whole))
	}
	plain := tarOf(t, entry{name: "a", data: "abc"})
	_, err := Unpack(bytes.NewReader(plain[:513]))
	require.EqualError(t, err, "it is cut off")
	_, err = Unpack(strings.NewReader("no archive"))
	require.EqualError(t, err, "it is no archive of tar or zip")
	changed := bytes.Clone(whole)
	changed[len(changed)-5] ^= 1 // of the checksum
	_, err = Unpack(bytes.NewReader(changed))
	require.ErrorContains(t, err, "it is not whole")

	r, w := io.Pipe() // a bomb: 300 MiB of zeros in about 300 KiB
	go func() {
		packed := gzip.NewWriter(w)
		to := tar.NewWriter(packed)
		size := zeros(mostUnpack + 50<<20)
		_ = to.WriteHeader(&tar.Header{Name: "a/traffic.conf", Typeflag: tar.TypeReg, Size: int64(size), Mode: 0o644})
		_, _ = io.Copy(to, &size)
		w.CloseWithError(packed.Close())
	}()
	_, err = Unpack(r)
	require.Equal(t, errBound, err)
	require.NoError(t, r.Close())

	many := make([]entry, 2000)
	for i := range many {
		many[i] = entry{name: strings.Repeat("d/", i%100) + "x", kind: tar.TypeDir}
	}
	u := &unpacking{at: map[string]int{}, entries: mostEntries - 1000}
	require.Equal(t, errBound, u.tar(bytes.NewReader(tarOf(t, many...))))
}

func FuzzUnpack(f *testing.F) {
	f.Add(tarOf(f, entry{name: "a", data: "x"}))
	f.Add(gzipOf(f, tarOf(f, entry{name: "a", data: "x"})))
	f.Add(zipOf(f, entry{name: "a", data: "x"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := Unpack(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, one := range files {
			require.Equal(t, one.Why != "", one.Data == nil && one.Why != "")
			if one.Why == "" {
				require.False(t, strings.HasPrefix(one.Name, "../") || strings.HasPrefix(one.Name, "/"))
			}
		}
	})
}
