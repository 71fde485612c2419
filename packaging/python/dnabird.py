"""dnabird from Python: ctypes over the C headers, an example of their use.

    import dnabird
    model = dnabird.Model()                       # or a model folder
    model.score(["ACGT..."])                      # [sequence][bin][label]
    for name, start, end, p in model.scan("genome.fa"): ...
    dnabird.variants("in.vcf", "genome.fa", "out.vcf.gz")

libdnabird.so is looked for by the system's loader; DNABIRD_LIBRARY in the
environment names another. With numpy, Model.score(numpy=True) gives arrays.
What the library refuses is a dnabird.Error with its sentence.
SPDX-License-Identifier: MIT
"""
import ctypes as c
import os

_lib = c.CDLL(os.environ.get("DNABIRD_LIBRARY", "libdnabird.so.0"))
_i, _p, _s, _d = c.c_int64, c.c_void_p, c.c_char_p, c.c_double
STRANDS = {"both": 0, "+": 1, "-": 2}

class Error(Exception):
    """What the library says, and its bird_status."""

    def __init__(self, status):
        super().__init__(_lib.bird_last_error().decode())
        self.status = status


def _struct(name, fields):
    return type(name, (c.Structure,), {"_fields_": fields})
def _fields(kind, names):
    return [(name, kind) for name in names.split()]
def _text(value):
    return None if value is None else os.fsencode(value)
# As in the headers: session.h, features.h, variant.h.
_SessionOptions = _struct("SessionOptions", _fields(c.c_int, "threads strand")
                          + _fields(_p, "answer name context") + [("margin_bp", _i)])
_Feature = _struct("Feature", _fields(_s, "name class_name cell factor treatment")
                   + [("index", _i)])
_Features = _struct("Features", [("at", c.POINTER(_Feature))] + _fields(_i, "n cap"))
_Params = _struct("Params", _fields(_s, "model fasta") + _fields(_i, "window_bp shift_bp")
                  + [("shifts", _s), ("max_unknown", _d), ("strand", c.c_int), ("span_bp", _i)]
                  + _fields(c.c_int, "tokens precision")
                  + _fields(_p, "tell tell_context"))
_VariantOptions = _struct(
    "VariantOptions", [("params", _Params)] + _fields(_s, "variants output format")
    + _fields(c.c_int, "index no_version drop_genotypes resume force") + [("shard", _s)]
    + _fields(c.c_int, "long_rows check_ref") + _fields(_s, "table zero_shot contig_map region")
    + _fields(_s, "regions features scores motifs") + [("top", _i)]
    + _fields(_s, "prefix label command") + _fields(_p, "progress progress_context"))
_VariantSummary = _struct(
    "VariantSummary", _fields(_i, "n_record n_outside") + [("by_index", c.c_int), ("n_allele", _i)]
    + [("status", _i * 14)] + _fields(_i, "n_free n_sequence n_cached n_table n_trimmed "
                                            "n_moved n_cut n_resumed n_resumed_allele window_bp "
                                            "n_feature n_motif n_replicate")
    + [("shifts", c.c_char * 385), ("tokens", c.c_char * 16)]
    + _fields(c.c_int, "calibrated likelihood indexed")
    + [("model", c.c_char * 80), ("digest", c.c_char * 65), ("contigs", c.c_char * 512),
       ("build", c.c_char * 512), ("notice", c.c_char * 1024)])


def _check(status, *_):
    if status < 0:
        raise Error(status)
for _name, _result, _arguments in [
        ("bird_last_error", _s, ()), ("bird_version", _s, ()),
        ("bird_model_open", c.c_int, (_p, _s, _p)), ("bird_model_close", None, (_p,)),
        ("bird_model_window", _i, (_p,)), ("bird_session_new", c.c_int, (_p, _p, _p)),
        ("bird_session_free", None, (_p,)), ("bird_session_size", _i, (_p, _i)),
        ("bird_session_labels", _i, (_p,)), ("bird_session_score", c.c_int, (_p, _p, _p, _i, _p)),
        ("bird_features_open", c.c_int, (_p, _s)), ("bird_features_free", None, (_p,)),
        ("bird_genome_open", c.c_int, (_p, _s)), ("bird_genome_free", None, (_p,)),
        ("bird_genome_count", _i, (_p,)), ("bird_genome_name", _s, (_p, _i)),
        ("bird_genome_length", _i, (_p, _i)), ("bird_genome_fetch", c.c_int, (_p, _i, _i, _i, _p)),
        ("bird_variant_options_default", None, (_p,)), ("bird_variant_run", c.c_int, (_p, _p)),
        ("bird_variant_status_name", _s, (c.c_int,))]:
    _function = getattr(_lib, _name)
    _function.restype, _function.argtypes = _result, _arguments
    if _result is c.c_int:
        _function.errcheck = _check
__version__ = _lib.bird_version().decode()


class Model:
    """A model folder (None: the one shipped) with a session on it."""

    def __init__(self, folder=None, strand="both"):
        self._model, self._session, self._folder = _p(), _p(), _text(folder)
        _lib.bird_model_open(c.byref(self._model), self._folder, None)
        options = _SessionOptions(strand=STRANDS[strand])
        _lib.bird_session_new(c.byref(self._session), self._model, c.byref(options))
        self.window = _lib.bird_model_window(self._model)

    def __del__(self):
        _lib.bird_session_free(self._session)
        _lib.bird_model_close(self._model)

    def labels(self):  # an error for a model of two classes without names
        f = _Features()
        _lib.bird_features_open(c.byref(f), self._folder)
        names = [f.at[i].name.decode() for i in range(f.n)]
        _lib.bird_features_free(c.byref(f))
        return names

    def score(self, sequences, numpy=False):
        """Raw outputs: of each sequence bins (one, or more) of labels."""
        raw = [s.upper().encode() for s in sequences]  # as FASTA is read
        sizes = [_lib.bird_session_size(self._session, len(s)) for s in raw]
        out, n = (c.c_float * sum(sizes))(), len(raw)
        _lib.bird_session_score(self._session, (_s * n)(*raw), (_i * n)(*map(len, raw)), n, out)
        k, values = _lib.bird_session_labels(self._session), iter(out)
        answers = [[[next(values) for _ in range(k)] for _ in range(size // k)] for size in sizes]
        if numpy:
            from numpy import array, float32
        return [array(a, float32) for a in answers] if numpy else answers

    def scan(self, fasta, window=0, stride=0, batch=64):
        """(contig, start, end, answer) of every whole window, 0-based half-open."""
        genome, window = _p(), window or self.window
        _lib.bird_genome_open(c.byref(genome), _text(fasta))
        try:
            for i in range(_lib.bird_genome_count(genome)):
                name = _lib.bird_genome_name(genome, i).decode()
                starts = range(0, _lib.bird_genome_length(genome, i) - window + 1, stride or window)
                for at in range(0, len(starts), batch):
                    part, bases = starts[at:at + batch], c.create_string_buffer(window)
                    seqs = [_lib.bird_genome_fetch(genome, i, s, s + window, bases)
                            or bases.raw.decode() for s in part]
                    for s, answer in zip(part, self.score(seqs)):
                        yield name, s, s + window, answer
        finally:
            _lib.bird_genome_free(genome)


def variants(vcf, fasta, output, model=None, **options):
    """`dnabird variant`: options are fields of bird_variant_options and
    bird_variant_params; returns what the run did."""
    o, s = _VariantOptions(), _VariantSummary()
    _lib.bird_variant_options_default(c.byref(o))
    options.update(variants=vcf, output=output, fasta=fasta, model=model)
    for key, value in options.items():
        owner = o.params if hasattr(o.params, key) else o
        if not hasattr(owner, key):
            raise TypeError(f"variants() has no option '{key}'")
        setattr(owner, key, value if isinstance(value, (int, float)) else _text(value))
    _lib.bird_variant_run(c.byref(s), c.byref(o))
    plain = {k: getattr(s, k) for k, _ in s._fields_ if k != "status"}
    status = {_lib.bird_variant_status_name(k).decode(): n for k, n in enumerate(s.status) if n}
    return {"status": status, **{k: v.decode() if isinstance(v, bytes) else v
                                 for k, v in plain.items()}}
