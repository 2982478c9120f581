package samples

// Path returns the path of the file.
func (f *File) Path() string { return f.path }

// ClaimsPath returns the path of the file beside it.
func (f *File) ClaimsPath() string { return f.beside(claimsName) }
