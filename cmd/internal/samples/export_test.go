package samples

// Path returns the path of the file.
func (f *File) Path() string { return f.path }
