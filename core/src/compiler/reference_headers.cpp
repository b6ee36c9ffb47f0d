#include "compiler/reference_headers.hpp"

#include <algorithm>
#include <map>

#include "compiler/include_scanner.hpp"
#include "compiler/texture_declarations.hpp"
#include "platform/files.hpp"

namespace pycuda {

namespace {

/// A header that the source may read.
struct OwnHeader {
    std::string text;       ///< with its declarations marked, without a byte order mark
    IncludeLines includes;  ///< of `text`
    bool copied = false;
    std::string copy_name;  ///< the name in an #include of it, if copied
};

class OwnHeaders {
public:
    OwnHeaders(const CompileJob& job, IncludeClosure closure) : job_(job), closure_(std::move(closure)) {}

    /// False if there is nothing to change.
    bool read() {
        TextureDeclarations::Aliases aliases;
        for (const std::string& path : closure_.files) {
            const std::optional<std::string> text = read_file(path);
            if (!text) continue;
            const TextureDeclarations declared(*text);
            if (declared.has_its_own()) return false;
            aliases.insert(declared.aliases().begin(), declared.aliases().end());
            OwnHeader& header = headers_[path];
            header.text = without_byte_order_mark(*text);
            header.copied = header.text != *text;
        }
        source_ = TextureDeclarations(job_.source, aliases).source();
        declares_references_ = source_ != job_.source;
        bool any = declares_references_;
        for (auto& [path, header] : headers_) {
            const TextureDeclarations declared(header.text, aliases);
            declares_references_ |= declared.source() != header.text;
            header.copied |= declared.source() != header.text;
            any |= header.copied;
            header.text = declared.source();
            header.includes = scan_includes(header.text);
        }
        return any;
    }

    CompileJob job() {
        copy_includers();
        CompileJob job = job_;
        job.source = with_copies(source_, scan_includes(source_), "");
        for (std::string& name : job.options.pre_includes)
            if (const std::string copy = copy_of({name, true}, ""); !copy.empty()) name = copy;
        if (declares_references_) job.options.pre_includes.insert(job.options.pre_includes.begin(), texture_header);
        for (const auto& [path, header] : headers_)
            if (header.copied) {
                job.header_copies.push_back({path, header.copy_name, text_of_copy(path, header)});
                // It is unknown which file a computed #include names: at least search this header's own folder.
                if (header.includes.has_computed) job.user_dirs.push_back(parent_path(path));
            }
        return job;
    }

private:
    /// A header that is not copied would include the originals of copied headers, so copy it too.
    void copy_includers() {
        for (bool changed = true; changed;) {
            changed = false;
            for (auto& [path, header] : headers_) {
                const auto leads_to_copy = [&, folder = parent_path(path)](const IncludeLines::Name& name) {
                    const auto target = headers_.find(closure_.target(name, folder));
                    return target != headers_.end() && target->second.copied;
                };
                if (header.copied ||
                    std::none_of(header.includes.names.begin(), header.includes.names.end(), leads_to_copy))
                    continue;
                header.copied = changed = true;
            }
        }
        std::size_t count = 0;
        for (auto& [path, header] : headers_)
            if (header.copied)
                header.copy_name = "pycuda-headers/" + std::to_string(count++) + path.substr(path.rfind('/'));
    }

    /// The name that an #include in `folder` needs in place of `name`; empty if `name` stays.
    std::string copy_of(const IncludeLines::Name& name, const std::string& folder) const {
        const std::string target = closure_.target(name, folder);
        if (const auto header = headers_.find(target); header != headers_.end() && header->second.copied)
            return header->second.copy_name;
        // The copy is in another folder.
        const bool from_own_folder =
            name.quoted && !folder.empty() && target == absolute_path(join_path(folder, name.text));
        return from_own_folder ? target : std::string{};
    }

    std::string with_copies(std::string text, const IncludeLines& includes, const std::string& folder) const {
        for (auto name = includes.names.rbegin(); name != includes.names.rend(); ++name)
            if (const std::string other = copy_of(*name, folder); !other.empty())
                text.replace(name->begin, name->end - name->begin, '"' + other + '"');
        return text;
    }

    std::string text_of_copy(const std::string& path, const OwnHeader& header) const {
        return line_directive(path) + with_copies(header.text, header.includes, parent_path(path));
    }

    const CompileJob& job_;
    std::string source_;  ///< with its declarations marked
    const IncludeClosure closure_;
    std::map<std::string, OwnHeader> headers_;  ///< by full path
    bool declares_references_ = false;
};

}  // namespace

std::optional<CompileJob> with_references_in_headers(const CompileJob& job) {
    if (TextureDeclarations(job.source).has_its_own()) return {};
    OwnHeaders headers(job, find_includes(job.source, job.options.pre_includes, job.user_dirs, {}));
    if (!headers.read()) return {};
    return headers.job();
}

}  // namespace pycuda
