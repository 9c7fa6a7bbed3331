// Made by `npm run client` from openapi.json. Do not edit.

export interface paths {
    "/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Documents
         * @description Documents, newest first.
         */
        get: operations["list_documents_documents_get"];
        put?: never;
        /**
         * Upload
         * @description Take a file in. The answer comes as soon as it is safely stored; the work goes on behind it.
         */
        post: operations["upload_documents_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Many Statuses
         * @description The status of many documents at once, for a grid. Unknown ids are left out.
         */
        get: operations["many_statuses_documents_status_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One Document */
        get: operations["one_document_documents__document_id__get"];
        put?: never;
        post?: never;
        /**
         * Delete Document
         * @description Remove the document: rows, blobs and connections. Answers of paid calls are kept, by retention.
         */
        delete: operations["delete_document_documents__document_id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status
         * @description Where the document stands, stage by stage, and why it is not moving when it is not.
         */
        get: operations["status_documents__document_id__status_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Runs
         * @description Every run of the document with its events, oldest first.
         */
        get: operations["runs_documents__document_id__runs_get"];
        put?: never;
        /**
         * Reprocess
         * @description Queue a new run. The content there is keeps answering searches until the new one is published.
         */
        post: operations["reprocess_documents__document_id__runs_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Content
         * @description The document as markdown.
         */
        get: operations["content_documents__document_id__content_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}/original": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Original
         * @description The bytes as they were sent; ranges are honoured.
         */
        get: operations["original_documents__document_id__original_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}/chunks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Chunks
         * @description The passages of the document, in order.
         */
        get: operations["chunks_documents__document_id__chunks_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}/fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fields
         * @description Named values found in the document, each with the place that proves it.
         */
        get: operations["fields_documents__document_id__fields_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Connections
         * @description Passages of other documents that speak of the same thing, side by side with those of this one.
         *
         *     Pinned ones come first, then the closest. Hidden ones are among them, and say so.
         */
        get: operations["connections_documents__document_id__connections_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}/costs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Costs
         * @description What the document cost, and what was reused instead of paid for.
         */
        get: operations["costs_documents__document_id__costs_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Transcript
         * @description Who said what and when; there as soon as the recording is in writing, before its analysis.
         */
        get: operations["transcript_documents__document_id__transcript_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}/analysis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Analysis
         * @description What the call was about. ``warning`` says why there is only what can be counted, where that is so.
         */
        get: operations["analysis_documents__document_id__analysis_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{document_id}/audio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Audio
         * @description The sound to listen to: the recording as it was sent, or as Opus where only that is kept. With ranges.
         */
        get: operations["audio_documents__document_id__audio_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Run
         * @description One run and everything that happened in it.
         */
        get: operations["run_runs__run_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{run_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel
         * @description Stop a run. The worker that holds it learns of it at its next write or heartbeat.
         */
        post: operations["cancel_runs__run_id__cancel_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs
         * @description The queue, newest first.
         */
        get: operations["jobs_jobs_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry Many
         * @description Retry the failed jobs that match; each resumes after its last finished stage.
         */
        post: operations["retry_many_jobs_retry_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry
         * @description Retry one job: a waiting one is made due now, a failed one is resumed by a new run.
         */
        post: operations["retry_jobs__job_id__retry_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connections/{connection_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Mark Connection
         * @description Pin or hide a connection. It stays so when either document is processed anew.
         */
        patch: operations["mark_connection_connections__connection_id__patch"];
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search
         * @description Passages that answer the query, with the place they stand at.
         */
        get: operations["search_search_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health
         * @description The process is alive.
         */
        get: operations["health_health_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ready
         * @description The process can work: its database answers.
         */
        get: operations["ready_ready_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations
         * @description What waits, who works, what failed and what was paid, for this organization.
         */
        get: operations["operations_operations_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics
         * @description Figures for Prometheus.
         */
        get: operations["metrics_metrics_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** ActionItemView */
        ActionItemView: {
            /** Text */
            text: string;
            /** Owner */
            owner: string | null;
            /** Due */
            due: string | null;
        };
        /** AnalysisView */
        AnalysisView: {
            /** Summary */
            summary: string | null;
            /** Topics */
            topics: string[];
            /** Action Items */
            action_items: components["schemas"]["ActionItemView"][];
            /** Questions */
            questions: string[];
            /** Speakers */
            speakers: components["schemas"]["SpeakerView"][];
            longest_monologue: components["schemas"]["MonologueView"] | null;
            /** Silences */
            silences: components["schemas"]["StretchView"][];
            /** Engine */
            engine: string | null;
            /**
             * Warning
             * @description Why the call could not be analyzed; POST /documents/{id}/runs with from_stage analyze tries again
             */
            warning: string | null;
        };
        /** BarView */
        BarView: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Queued */
            queued: number;
            /** Completed */
            completed: number;
            /** Failed */
            failed: number;
        };
        /** ChunkView */
        ChunkView: {
            /** Id */
            id: string;
            /** Ordinal */
            ordinal: number;
            /** Text */
            text: string;
            /** Tokens */
            tokens: number;
            /** Anchor */
            anchor: {
                [key: string]: unknown;
            };
            /** Model */
            model: string | null;
        };
        /** ConnectionChange */
        ConnectionChange: {
            /**
             * Pinned
             * @description Keep it, and show it first
             */
            pinned?: boolean | null;
            /**
             * Hidden
             * @description Do not show it again
             */
            hidden?: boolean | null;
        };
        /** ConnectionView */
        ConnectionView: {
            /** Id */
            id: string;
            /**
             * Score
             * @description From 0.5, just above chance for the model, to 1, the same text
             */
            score: number;
            /**
             * Kind
             * @description same_passage or same_topic
             */
            kind: string;
            /**
             * Reason
             * @description Why, in words that both passages have
             */
            reason: string;
            /** Pinned */
            pinned: boolean;
            /** Hidden */
            hidden: boolean;
            here: components["schemas"]["PassageView"];
            there: components["schemas"]["OtherPassageView"];
        };
        /** CostsView */
        CostsView: {
            /**
             * Cost
             * @description US dollars for calls this document was the first to need
             */
            cost: number;
            /** Calls */
            calls: number;
            /**
             * Reused
             * @description Answers that were remembered and cost nothing
             */
            reused: number;
            /**
             * Reopened
             * @description Calls made again because an earlier try may have been lost after it was paid
             */
            reopened: number;
            /** Units */
            units: {
                [key: string]: number;
            };
            /** By Provider */
            by_provider: {
                [key: string]: unknown;
            }[];
        };
        /** DocumentPageView */
        DocumentPageView: {
            /** Documents */
            documents: components["schemas"]["DocumentView"][];
            /** Next Cursor */
            next_cursor: string | null;
            /** Total */
            total: number;
        };
        /** DocumentView */
        DocumentView: {
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Kind */
            kind: string;
            /** Media Type */
            media_type: string;
            /** Size */
            size: number;
            /** Sha256 */
            sha256: string;
            /**
             * Status
             * @description PROCESSING, COMPLETED, FAILED, TIMED_OUT or CANCELLED
             */
            status: string;
            /**
             * Searchable
             * @description Whether complete content answers searches, perhaps of an earlier run
             */
            searchable: boolean;
            /** Title */
            title?: string | null;
            /** Language */
            language?: string | null;
            /** Pages */
            pages?: number | null;
            /** Words */
            words?: number | null;
            /** Chunks */
            chunks?: number | null;
            /**
             * Seconds
             * @description How long a recording is
             */
            seconds?: number | null;
            /** Speakers */
            speakers?: number | null;
            /**
             * Warnings
             * @default []
             */
            warnings: string[];
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
        };
        /** EventView */
        EventView: {
            /** Id */
            id: number;
            /** Kind */
            kind: string;
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Stage */
            stage: string | null;
            /** Job Id */
            job_id: string | null;
            /** Detail */
            detail: {
                [key: string]: unknown;
            };
        };
        /** FailureView */
        FailureView: {
            /** Stage */
            stage: string;
            /** Error */
            error: string;
            /** Failure Type */
            failure_type: string | null;
            /** Jobs */
            jobs: number;
        };
        /** FieldView */
        FieldView: {
            /** Name */
            name: string;
            /** Value */
            value: string;
            /** Kind */
            kind: string;
            /** Confidence */
            confidence: number;
            /** Anchor */
            anchor: {
                [key: string]: unknown;
            };
        };
        /** GateView */
        GateView: {
            /** Provider */
            provider: string;
            /**
             * Closed Until
             * Format: date-time
             */
            closed_until: string;
            /** Reason */
            reason: string;
        };
        /**
         * HeldView
         * @description A job in a worker's hands.
         */
        HeldView: {
            /** Document Id */
            document_id: string;
            /** Document Name */
            document_name: string;
            /** Stage */
            stage: string;
            /** Since */
            since: string | null;
            /** Done */
            done: number | null;
            /** Total */
            total: number | null;
        };
        /** HitView */
        HitView: {
            /** Document Id */
            document_id: string;
            /** Document Name */
            document_name: string;
            /** Document Kind */
            document_kind: string;
            /** Chunk Id */
            chunk_id: string;
            /** Ordinal */
            ordinal: number;
            /** Score */
            score: number;
            /** Snippet */
            snippet: string;
            /**
             * Highlights
             * @description Spans of the snippet that match
             */
            highlights: [
                number,
                number
            ][];
            /** Anchor */
            anchor: {
                [key: string]: unknown;
            };
        };
        /** JobView */
        JobView: {
            /** Id */
            id: string;
            /** Document Id */
            document_id: string;
            /** Run Id */
            run_id: string;
            /** Stage */
            stage: string;
            /** Status */
            status: string;
            /** Attempts */
            attempts: number;
            /** Max Attempts */
            max_attempts: number;
            /** Crashes */
            crashes: number;
            payload: components["schemas"]["PayloadView"];
            /** Waiting For */
            waiting_for: string | null;
            /** Error Log */
            error_log: string | null;
            /**
             * Available At
             * Format: date-time
             */
            available_at: string;
            /** Locked By */
            locked_by: string | null;
            /** Lease Until */
            lease_until: string | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Started At */
            started_at: string | null;
            /** Completed At */
            completed_at: string | null;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
        };
        /** MonologueView */
        MonologueView: {
            /** Start */
            start: number;
            /** End */
            end: number;
            /** Speaker */
            speaker: string | null;
        };
        /** OperationsView */
        OperationsView: {
            /** Queue */
            queue: components["schemas"]["QueueView"][];
            /** Workers */
            workers: components["schemas"]["WorkerView"][];
            /** Providers */
            providers: components["schemas"]["ProviderView"][];
            /**
             * Gates
             * @description Providers that are busy or refuse us, until when, and why
             */
            gates: components["schemas"]["GateView"][];
            /** Failures */
            failures: components["schemas"]["FailureView"][];
            /**
             * Throughput
             * @description Runs that came and ended, minute by minute, over the last hour
             */
            throughput: components["schemas"]["BarView"][];
            /** Documents */
            documents: {
                [key: string]: number;
            };
        };
        /** OtherPassageView */
        OtherPassageView: {
            /** Document Id */
            document_id: string;
            /** Chunk Id */
            chunk_id: string;
            /** Text */
            text: string;
            /** Anchor */
            anchor: {
                [key: string]: unknown;
            };
            /** Document Name */
            document_name: string | null;
        };
        /** PassageView */
        PassageView: {
            /** Document Id */
            document_id: string;
            /** Chunk Id */
            chunk_id: string;
            /** Text */
            text: string;
            /** Anchor */
            anchor: {
                [key: string]: unknown;
            };
        };
        /**
         * PayloadView
         * @description What a queue carries for a stage; see docs/reference/payloads.md.
         */
        PayloadView: {
            /** Version */
            version: number;
            /** Organization */
            organization: string;
            /** Document */
            document: string;
            /** Run */
            run: string;
            /** Stage */
            stage: string;
            /** Arguments */
            arguments: {
                [key: string]: unknown;
            };
        };
        /**
         * Problem
         * @description RFC 9457 problem details.
         */
        Problem: {
            /** Type */
            type: string;
            /** Title */
            title: string;
            /** Status */
            status: number;
            /** Detail */
            detail: string;
            /** Action */
            action: string;
            /**
             * Errors
             * @default null
             */
            errors: {
                [key: string]: unknown;
            }[] | null;
        };
        /** ProviderView */
        ProviderView: {
            /** Provider */
            provider: string;
            /** Model */
            model: string;
            /** Made */
            made: number;
            /** Reused */
            reused: number;
            /** Paid Twice */
            paid_twice: number;
            /** Cost */
            cost: number;
            /**
             * Waiting
             * @description Jobs that wait for it
             */
            waiting: number;
            /**
             * Busy Until
             * @description When the last of them is tried again
             */
            busy_until: string | null;
        };
        /** QueueView */
        QueueView: {
            /** Stage */
            stage: string;
            /** Status */
            status: string;
            /** Jobs */
            jobs: number;
            /** Oldest */
            oldest: string | null;
        };
        /** ReprocessRequest */
        ReprocessRequest: {
            /**
             * From Stage
             * @description Take over the stages before this one from the last success
             */
            from_stage?: string | null;
            /**
             * Fresh
             * @description Take over nothing
             * @default false
             */
            fresh: boolean;
        };
        /** Retried */
        Retried: {
            /** Run Ids */
            run_ids: string[];
        };
        /** RunBrief */
        RunBrief: {
            /** Id */
            id: string;
            /** State */
            state: string;
            /** Failure Type */
            failure_type: string | null;
            /** Resumes Run Id */
            resumes_run_id: string | null;
        };
        /** RunHistoryView */
        RunHistoryView: {
            /** Id */
            id: string;
            /** State */
            state: string;
            /** Failure Type */
            failure_type: string | null;
            /** Error */
            error: string | null;
            /** Pipeline */
            pipeline: string;
            /** Pipeline Version */
            pipeline_version: number;
            /** Resumes Run Id */
            resumes_run_id: string | null;
            /** Deadline At */
            deadline_at: string | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Started At */
            started_at: string | null;
            /** Ended At */
            ended_at: string | null;
            /** Events */
            events: components["schemas"]["EventView"][];
        };
        /** RunStarted */
        RunStarted: {
            /** Run Id */
            run_id: string;
        };
        /** RunView */
        RunView: {
            /** Id */
            id: string;
            /** State */
            state: string;
            /** Failure Type */
            failure_type: string | null;
            /** Error */
            error: string | null;
            /** Pipeline */
            pipeline: string;
            /** Pipeline Version */
            pipeline_version: number;
            /** Resumes Run Id */
            resumes_run_id: string | null;
            /** Deadline At */
            deadline_at: string | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Started At */
            started_at: string | null;
            /** Ended At */
            ended_at: string | null;
        };
        /** SearchView */
        SearchView: {
            /** Query */
            query: string;
            /** Mode */
            mode: string;
            /** Hits */
            hits: components["schemas"]["HitView"][];
        };
        /** SegmentView */
        SegmentView: {
            /** Text */
            text: string;
            /** Speaker */
            speaker: string | null;
            /**
             * Start
             * @description Seconds from the beginning
             */
            start: number;
            /** End */
            end: number;
            /**
             * Words
             * @description Empty where the transcriber gives no times of words
             */
            words: components["schemas"]["WordView"][];
        };
        /** SpeakerView */
        SpeakerView: {
            /** Speaker */
            speaker: string;
            /**
             * Share
             * @description Of the time in which anybody spoke, 0 to 1
             */
            share: number;
            /** Sentiment */
            sentiment: string | null;
            /** Reason */
            reason: string | null;
        };
        /** StageView */
        StageView: {
            /** Name */
            name: string;
            /**
             * Status
             * @description WAITING, PENDING, PROCESSING, COMPLETED, FAILED, CANCELLED or SKIPPED
             */
            status: string;
            /** Attempts */
            attempts: number;
            /** Crashes */
            crashes: number;
            /** Seconds */
            seconds: number | null;
            /** Done */
            done: number | null;
            /** Total */
            total: number | null;
            /** Reused */
            reused: boolean;
            /** Calls Made */
            calls_made: number;
            /** Calls Reused */
            calls_reused: number;
            /** Cost */
            cost: number;
            /**
             * Started At
             * @description When its work began; of a reused stage, in the run that did it
             */
            started_at: string | null;
            /** Completed At */
            completed_at: string | null;
            /**
             * Last Heartbeat
             * @description When its worker was last heard of; only while it works
             */
            last_heartbeat: string | null;
            /** Job Id */
            job_id: string | null;
        };
        /** StatusView */
        StatusView: {
            /** Document Id */
            document_id: string;
            /** Status */
            status: string;
            /** Searchable */
            searchable: boolean;
            run: components["schemas"]["RunBrief"] | null;
            /** Stage */
            stage: string | null;
            /** Stages */
            stages: components["schemas"]["StageView"][];
            /** Error */
            error: string | null;
            /**
             * Waiting For
             * @description Why it is not moving, in words
             */
            waiting_for: string | null;
            /** Waiting Until */
            waiting_until: string | null;
            /**
             * Poll After Ms
             * @description When to ask again; null when nothing will change by itself
             */
            poll_after_ms: number | null;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
        };
        /** StretchView */
        StretchView: {
            /** Start */
            start: number;
            /** End */
            end: number;
        };
        /** TranscriptView */
        TranscriptView: {
            /** Segments */
            segments: components["schemas"]["SegmentView"][];
        };
        /** UploadView */
        UploadView: {
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Kind */
            kind: string;
            /** Media Type */
            media_type: string;
            /** Size */
            size: number;
            /** Sha256 */
            sha256: string;
            /**
             * Status
             * @description PROCESSING, COMPLETED, FAILED, TIMED_OUT or CANCELLED
             */
            status: string;
            /**
             * Searchable
             * @description Whether complete content answers searches, perhaps of an earlier run
             */
            searchable: boolean;
            /** Title */
            title?: string | null;
            /** Language */
            language?: string | null;
            /** Pages */
            pages?: number | null;
            /** Words */
            words?: number | null;
            /** Chunks */
            chunks?: number | null;
            /**
             * Seconds
             * @description How long a recording is
             */
            seconds?: number | null;
            /** Speakers */
            speakers?: number | null;
            /**
             * Warnings
             * @default []
             */
            warnings: string[];
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Run Id */
            run_id: string | null;
            /**
             * Duplicate
             * @description The same bytes were here already; this is the same document
             */
            duplicate: boolean;
        };
        /** WordView */
        WordView: {
            /** Text */
            text: string;
            /** Start */
            start: number;
            /** End */
            end: number;
        };
        /** WorkerView */
        WorkerView: {
            /** Worker */
            worker: string;
            /** Host */
            host: string | null;
            /** Pid */
            pid: number | null;
            /**
             * Slots
             * @description How many jobs it takes on at once
             */
            slots: number | null;
            /**
             * Stages
             * @description The stages it serves; empty for all of them
             */
            stages: string[];
            /** Started At */
            started_at: string | null;
            /**
             * Seen At
             * Format: date-time
             * @description Its last sign of life; after two minutes without one it is not listed
             */
            seen_at: string;
            /**
             * Jobs
             * @description Jobs of this organization that it holds
             */
            jobs: components["schemas"]["HeldView"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    list_documents_documents_get: {
        parameters: {
            query?: {
                status?: ("PROCESSING" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "CANCELLED") | null;
                kind?: ("document" | "call") | null;
                q?: string | null;
                cursor?: string | null;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentPageView"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upload_documents_post: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadView"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    many_statuses_documents_status_get: {
        parameters: {
            query: {
                /** @description Ids joined by commas */
                ids: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusView"][];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    one_document_documents__document_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentView"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_document_documents__document_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    status_documents__document_id__status_get: {
        parameters: {
            query?: never;
            header?: {
                "if-none-match"?: string | null;
            };
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusView"];
                };
            };
            /** @description Nothing changed */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runs_documents__document_id__runs_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunHistoryView"][];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reprocess_documents__document_id__runs_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReprocessRequest"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunStarted"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    content_documents__document_id__content_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    original_documents__document_id__original_get: {
        parameters: {
            query?: never;
            header?: {
                range?: string | null;
            };
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, or the part asked for, in its own media type */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The file, or the part asked for, in its own media type */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Requested Range Not Satisfiable */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    chunks_documents__document_id__chunks_get: {
        parameters: {
            query?: {
                after?: number;
                limit?: number;
            };
            header?: never;
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChunkView"][];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    fields_documents__document_id__fields_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FieldView"][];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    connections_documents__document_id__connections_get: {
        parameters: {
            query?: {
                /** @description Go on after this connection */
                after?: string | null;
                limit?: number;
            };
            header?: never;
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionView"][];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    costs_documents__document_id__costs_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CostsView"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    transcript_documents__document_id__transcript_get: {
        parameters: {
            query?: {
                /** @description Instead of an Accept header */
                format?: ("json" | "srt" | "vtt" | "text") | null;
            };
            header?: {
                accept?: string;
            };
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transcript */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptView"];
                    "application/x-subrip": unknown;
                    "text/vtt": unknown;
                    "text/plain": unknown;
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    analysis_documents__document_id__analysis_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnalysisView"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    audio_documents__document_id__audio_get: {
        parameters: {
            query?: never;
            header?: {
                range?: string | null;
            };
            path: {
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Partial Content */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Requested Range Not Satisfiable */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    run_runs__run_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunHistoryView"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_runs__run_id__cancel_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    jobs_jobs_get: {
        parameters: {
            query?: {
                status?: ("PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED") | null;
                stage?: string | null;
                after?: string | null;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"][];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retry_many_jobs_retry_post: {
        parameters: {
            query?: {
                stage?: string | null;
                /** @description Part of the error's text */
                error?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retried"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retry_jobs__job_id__retry_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retried"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mark_connection_connections__connection_id__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectionChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionView"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    search_search_get: {
        parameters: {
            query: {
                q: string;
                mode?: "hybrid" | "text" | "vector";
                kind?: ("document" | "call") | null;
                document_id?: string | null;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchView"];
                };
            };
            /** @description Validation Error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    health_health_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ready_ready_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    operations_operations_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsView"];
                };
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    metrics_metrics_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What went wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
